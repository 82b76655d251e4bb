#pragma once
/// @file
/// Turns scores into log-probabilities.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Turns every row (last axis) of `x` into the logarithms of a probability distribution.
///
/// \f[ y_j = x_j - m - \log \sum_k e^{x_k - m}, \qquad m = \max_k x_k \f]
///
/// Equals log(softmax(x)), but never takes the logarithm of an underflowed zero.
/// Backward: \f$ dx_j = dy_j - e^{y_j} \sum_k dy_k \f$.
///
/// @param x  (..., classes): any number of axes, at least one
/// @return   the shape of `x`; a row that contains NaN or inf, or only -inf, is NaN
/// @throws Error when `x` has no axes
Tensor log_softmax(const Tensor& x);

}  // namespace RECTO
