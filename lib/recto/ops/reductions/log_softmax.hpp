#pragma once
/// @file
/// Scores to log-probabilities.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Turns every row (last axis) of `x` into the logarithms of a probability distribution.
///
/// \f[ y_j = x_j - m - \log \sum_k e^{x_k - m}, \qquad m = \max_k x_k \f]
///
/// The same as log(softmax(x)), but never the logarithm of an underflowed zero.
/// Backward: \f$ dx_j = dy_j - e^{y_j} \sum_k dy_k \f$.
///
/// @param x  (..., classes): any number of axes, at least one
/// @return   the shape of `x`; a row with a NaN or inf, or of -inf alone, is NaN
/// @throws Error when `x` has no axes
Tensor log_softmax(const Tensor& x);

}  // namespace RECTO
