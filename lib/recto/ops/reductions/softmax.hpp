#pragma once
/// @file
/// Turns scores into probabilities.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Turns every row (last axis) into a probability distribution. Fleuret calls it *softargmax*.
///
/// \f[ y_j = \frac{e^{x_j - m}}{\sum_k e^{x_k - m}}, \qquad m = \max_k x_k \f]
///
/// Subtracting the maximum does not change the result and keeps the exponentials from overflowing.
/// Backward: \f$ dx_j = y_j \left(dy_j - \sum_k y_k\, dy_k\right) \f$.
///
/// @param x  (..., classes): any number of axes, at least one
/// @return   the shape of `x`; every row is positive and sums to one; a row with NaN or inf, or only -inf, is NaN
/// @throws Error when `x` has no axes
Tensor softmax(const Tensor& x);

}  // namespace RECTO
