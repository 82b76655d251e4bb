#pragma once
/// @file
/// Perplexity: how many symbols a model cannot decide between.
#include <span>

#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO::text {

/// The number of equally likely choices that would be as surprising on average:
///
/// \f[ \exp\Big( -\frac1N \sum_{n=1}^N \log \hat P(X_n = x_n) \Big) \f]
///
/// @param log_probabilities  of the observed symbols, in nats; -inf for probability 0, which makes the result inf
/// @throws Error when the list is empty, or a number is above 0 or NaN
double perplexity(std::span<const double> log_probabilities);

/// The perplexity of scores: exp of their cross_entropy().
/// @param scores   (..., symbols)
/// @param symbols  (...): the observed symbols. @throws Error as cross_entropy()
double perplexity(const Tensor& scores, const Integers& symbols);

}  // namespace RECTO::text
