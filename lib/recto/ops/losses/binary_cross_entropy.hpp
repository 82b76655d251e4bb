#pragma once
/// @file
/// The loss of binary classification.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Binary cross-entropy: the mean over all elements of the negative log-likelihood of binary targets.
///
/// \f[ \mathscr L = -\frac1N \sum_{n=1}^N t_n \log \sigma(x_n) + (1 - t_n) \log (1 - \sigma(x_n)) \f]
///
/// It takes scores, not probabilities, and never forms the logarithm of an underflowed zero.
/// Backward: \f$ dx_n = \frac1N (\sigma(x_n) - t_n)\, d\mathscr L \f$, \f$ dt_n = -\frac1N x_n\, d\mathscr L \f$.
///
/// @param scores   any shape with at least one number: the log-odds of "yes"
/// @param targets  the same shape: 1 for yes, 0 for no, or a probability between
/// @return         a single number, without axes, in nats
/// @throws Error when the shapes or devices differ, or there is no number
Tensor binary_cross_entropy(const Tensor& scores, const Tensor& targets);

}  // namespace RECTO
