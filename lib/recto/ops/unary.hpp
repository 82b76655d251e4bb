#pragma once
/// @file
/// One number in, one number out.
#include <recto/core/tensor.hpp>

namespace RECTO {

Tensor exp(const Tensor& x);       ///< \f$ e^x \f$, number by number; any shape.
Tensor log(const Tensor& x);       ///< Natural logarithm; -inf at 0, NaN below.
Tensor sqrt(const Tensor& x);      ///< Square root; NaN below 0.
Tensor square(const Tensor& x);    ///< \f$ x^2 \f$.
Tensor abs(const Tensor& x);       ///< Magnitude; its slope at 0 is taken as 0.
Tensor negative(const Tensor& x);  ///< \f$ -x \f$.
Tensor tanh(const Tensor& x);      ///< Hyperbolic tangent, between -1 and 1.
Tensor sigmoid(const Tensor& x);   ///< \f$ 1 / (1 + e^{-x}) \f$ without overflow, between 0 and 1.
Tensor relu(const Tensor& x);      ///< \f$ \max(x, 0) \f$; NaN stays NaN, the slope at 0 is taken as 0.
Tensor softplus(const Tensor& x);  ///< \f$ \log(1 + e^x) \f$ without overflow: a smooth relu.

inline Tensor operator-(const Tensor& x) { return negative(x); }  ///< The same as negative().

}  // namespace RECTO
