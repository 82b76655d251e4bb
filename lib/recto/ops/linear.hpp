#pragma once
/// @file
/// The fully connected layer.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Multiplies every row of `x` by the weights and adds the bias.
///
/// \f[ y = x\, W^\top + b \f]
///
/// Backward: \f$ dx = dy\, W \f$, \f$ dW = dy^\top x \f$, and \f$ db \f$ is the sum of the rows of \f$ dy \f$.
///
/// @param x       (..., in): any number of axes, at least one
/// @param weight  (out, in)
/// @param bias    (out), or undefined for none
/// @return        (..., out)
/// @throws Error when the shapes do not fit or the devices differ
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor());

}  // namespace RECTO
