#pragma once
/// @file
/// The cost of training well-known models, as published.
#include <string_view>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::data {

/// A model and the floating-point operations of its training.
///
/// If a publication states the total, it is `stated`. If it states only what the total consists of, the total is six
/// operations for every multiply-add of a forward pass (training_flops()), and `stated` is 0.
struct Landmark {
    std::string_view name;    ///< the authors' name for it
    double year;              ///< year of publication, with a fraction for the month
    std::string_view domain;  ///< language, vision, games or speech
    double stated;            ///< operations, or 0
    double multiply_adds;     ///< of one sample's forward pass, or 0; for a language model the parameters a token meets
    double samples;           ///< number of samples, counted each time they are seen, or 0; for a language model tokens
    std::string_view source;  ///< source of these numbers: a key of book/references.bib

    double flops() const;  ///< Operations of the whole training.
};

/// Six operations for every multiply-add of the forward pass of every sample: two in the forward pass, and four in the
/// backward pass, which takes two products for each product of the forward pass (Kaplan et al., 2020, section 2.1).
///
/// \f[ C \approx 6 N D \f]
///
/// For a language model the multiply-adds of a token are about its parameters N, and the samples are D tokens.
constexpr double training_flops(double multiply_adds, double samples) { return 6 * multiply_adds * samples; }

/// A petaflop/s-day: 10^15 operations per second for a day, the unit of many publications.
constexpr double petaflop_day = 1e15 * 24 * 3600;

/// About thirty models from 1989 to 2024, in the order of their years. Numbers are rounded as in their sources.
const std::vector<Landmark>& landmarks();

}  // namespace RECTO::data
