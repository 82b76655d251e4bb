#pragma once
/// @file
/// Generates text: one token at a time, sampled from a model's distribution given the tokens before it.
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <recto/core/random.hpp>

namespace RECTO::text {

/// Options of sampling.
struct Sampling {
    double temperature = 1;          ///< scores are divided by it; 0 takes the highest score
    Index top_k = 0;                 ///< only this many of the highest scores are possible; 0 for all
    std::optional<Index> stop = {};  ///< the token that ends the text
    Index most = 100;                ///< maximum number of tokens
};

/// The probability of every token, for scores \f$ l \f$ and temperature \f$ \tau \f$,
///
/// \f[ p_i = \frac{e^{l_i / \tau}}{\sum_j e^{l_j / \tau}} , \f]
///
/// where sums run over the `top_k` highest scores and the others have probability 0. Of equal scores the first counts
/// as higher. A score of -inf has probability 0.
/// @throws Error when no score is above -inf or one is NaN or inf, the temperature is negative or not finite, or top_k
///         is negative
std::vector<Real> chances(std::span<const Real> scores, const Sampling& sampling = {});

/// A model: returns the scores of all tokens for the position after `before`.
using NextScores = std::function<std::vector<Real>(std::span<const Index> before)>;

/// Draws a token after those of `prompt`, appends it, and repeats until the stop token was drawn or there are `most`.
/// Takes one draw of `random` for each token, at any temperature.
/// @return  the drawn tokens, without the prompt; the stop token, if it was drawn, is the last
/// @throws Error as chances(), or when there are no scores or `most` is negative
std::vector<Index> generate(const NextScores& next, std::vector<Index> prompt, Generator& random,
                            const Sampling& sampling = {});

}  // namespace RECTO::text
