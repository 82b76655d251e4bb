#pragma once
/// @file
/// The fully connected layer.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// What linear() may do to its result while that lies in the cache.
enum class Activation {
    none,     ///< nothing
    relu,     ///< see relu()
    gelu,     ///< see gelu()
    tanh,     ///< see tanh()
    sigmoid,  ///< see sigmoid()
    silu      ///< see silu()
};

/// Multiplies every row of `x` by the weights, adds the bias, and may apply an activation function.
///
/// \f[ y = f(z), \quad z = x\, W^\top + b \f]
///
/// Backward: with \f$ dz = dy\, f'(z) \f$, \f$ dx = dz\, W \f$, \f$ dW = dz^\top x \f$, and \f$ db \f$ is the sum of
/// the rows of \f$ dz \f$.
///
/// @param x       (..., in): any number of axes, at least one
/// @param weight  (out, in)
/// @param bias    (out), or undefined for none
/// @param f       the activation function
/// @return        (..., out)
/// @throws Error when the shapes do not fit or the devices differ
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(), Activation f = Activation::none);

}  // namespace RECTO
