#pragma once
/// @file
/// Generates text: one symbol at a time, sampled from a model's distribution given the symbols before it.
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <recto/core/random.hpp>

namespace RECTO::text {

/// Options of sampling.
struct Sampling {
    double temperature = 1;          ///< scores are divided by it; 0 takes the highest
    Index top_k = 0;                 ///< only this many of the highest scores are possible; 0 for all
    std::optional<Index> stop = {};  ///< the symbol that ends the text
    Index most = 100;                ///< no more symbols than this
};

/// The chance of every symbol: of scores \f$ l \f$ and temperature \f$ \tau \f$,
///
/// \f[ p_i = \frac{e^{l_i / \tau}}{\sum_j e^{l_j / \tau}} , \f]
///
/// where sums go over the `top_k` highest scores and the others have no chance. Of equal scores the first is higher. A
/// score of -inf has no chance.
/// @throws Error when no score is above -inf or one is NaN or inf, the temperature is negative or not finite, or top_k
///         is negative
std::vector<Real> chances(std::span<const Real> scores, const Sampling& sampling = {});

/// A model: returns the scores of all symbols for the position after `before`.
using NextScores = std::function<std::vector<Real>(std::span<const Index> before)>;

/// Draws a symbol after those of `prompt`, appends it, and again: until the stop symbol was drawn or there are `most`.
/// Takes one draw of `random` for each symbol, whatever the temperature.
/// @return  the symbols drawn, without the prompt; the stop symbol, if it was drawn, is the last
/// @throws Error as chances() does, or when there are no scores or `most` is negative
std::vector<Index> generate(const NextScores& next, std::vector<Index> prompt, Generator& random,
                            const Sampling& sampling = {});

}  // namespace RECTO::text
