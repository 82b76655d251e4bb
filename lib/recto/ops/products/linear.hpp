#pragma once
/// @file
/// The fully connected layer.
#include <recto/ops/elementwise/unary.hpp>

namespace RECTO {

/// Multiplies every row of `x` by the weights, adds the bias, and applies an activation function if there is one.
///
/// \f[ y = f(z), \quad z = x\, W^\top + b \f]
///
/// Backward: with \f$ dz = dy\, f'(z) \f$, \f$ dx = dz\, W \f$, \f$ dW = dz^\top x \f$, and \f$ db \f$ is the sum of
/// the rows of \f$ dz \f$.
///
/// @param x       (..., in): any number of axes, at least one
/// @param weight  (out, in)
/// @param bias    (out), or undefined for none
/// @param f       the activation function, or nullptr for none; relu, gelu, tanh, sigmoid and silu are applied while
///                the product is still in the cache
/// @return        (..., out)
/// @throws Error when the shapes do not fit or the devices differ
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(), Activation f = nullptr);

}  // namespace RECTO
