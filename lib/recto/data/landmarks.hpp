#pragma once
/// @file
/// What it took to train well-known models, as published.
#include <string_view>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::data {

/// A model and the floating-point operations of its training.
///
/// Where a publication states the total, that is `stated`. Where it states what the total is made of, the total is six
/// operations for every multiply-add of a forward pass (training_flops()), and `stated` is 0.
struct Landmark {
    std::string_view name;    ///< as its authors call it
    double year;              ///< when it was published, with a fraction for the month
    std::string_view domain;  ///< language, vision, games or speech
    double stated;            ///< operations, or 0
    double multiply_adds;     ///< of one sample's forward pass, or 0; for a language model the parameters a token meets
    double samples;           ///< how many were seen, each time counted, or 0; for a language model tokens
    std::string_view source;  ///< where these numbers stand: a key of book/references.bib

    double flops() const;  ///< Operations of the whole training.
};

/// Six operations for every multiply-add of the forward pass of every sample: two in the forward pass, and four in the
/// backward pass, which needs two products for each one of the forward pass (Kaplan et al., 2020, section 2.1).
///
/// \f[ C \approx 6 N D \f]
///
/// For a language model the multiply-adds of a token are about its parameters N, and the samples are D tokens.
constexpr double training_flops(double multiply_adds, double samples) { return 6 * multiply_adds * samples; }

/// Operations of a machine that makes 10^15 of them each second and runs for a day, the unit of many publications.
constexpr double petaflop_day = 1e15 * 24 * 3600;

/// About thirty models from 1989 to 2024, in the order of their years. Numbers are rounded as their sources round them.
const std::vector<Landmark>& landmarks();

}  // namespace RECTO::data
