#pragma once
/// @file
/// Elementwise functions of one tensor.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// An activation function: any function of one tensor that keeps its shape, such as `relu` or `tanh`; `nullptr` for
/// none.
using Activation = Tensor (*)(const Tensor&);

Tensor exp(const Tensor& x);       ///< \f$ e^x \f$, elementwise; any shape.
Tensor log(const Tensor& x);       ///< Natural logarithm; -inf at 0, NaN below.
Tensor sqrt(const Tensor& x);      ///< Square root; NaN below 0.
Tensor square(const Tensor& x);    ///< \f$ x^2 \f$.
Tensor abs(const Tensor& x);       ///< Magnitude; the derivative at 0 is 0.
Tensor negative(const Tensor& x);  ///< \f$ -x \f$.
Tensor tanh(const Tensor& x);      ///< Hyperbolic tangent, between -1 and 1.
Tensor sigmoid(const Tensor& x);   ///< \f$ 1 / (1 + e^{-x}) \f$ without overflow, between 0 and 1.
Tensor relu(const Tensor& x);      ///< \f$ \max(x, 0) \f$; NaN stays NaN, the derivative at 0 is 0.
Tensor softplus(const Tensor& x);  ///< \f$ \log(1 + e^x) \f$ without overflow: a smooth relu.

/// x above 0, `slope` times x below 0; the derivative at 0 is `slope`.
Tensor leaky_relu(const Tensor& x, double slope = 0.01);

/// x above 0, \f$ \alpha\, (e^x - 1) \f$ below 0 (Clevert et al., 2016); the derivative at 0 is \f$ \alpha \f$.
Tensor elu(const Tensor& x, double alpha = 1);

/// 1.0507 times elu() with \f$ \alpha = 1.6733 \f$ (Klambauer et al., 2017): keeps mean 0 and variance 1 from layer to
/// layer, for weights drawn with variance 1/in.
Tensor selu(const Tensor& x);

/// \f$ x\, P(Z \le x) \f$ with a standard normal \f$ Z \f$ (Hendrycks and Gimpel, 2016): 0 at -inf, inf at inf.
Tensor gelu(const Tensor& x);

/// \f$ \frac x2 \left(1 + \tanh\left(\sqrt{2/\pi}\, (x + 0.044715\, x^3)\right)\right) \f$: an approximation of gelu()
/// within 5e-4, with which GPT-2 was trained.
Tensor gelu_tanh(const Tensor& x);

Tensor silu(const Tensor& x);  ///< \f$ x / (1 + e^{-x}) \f$, also called swish; 0 at -inf.

/// The nearest number in [low, high]; NaN stays NaN. The gradient passes if x is in the interval, ends included.
/// @throws Error unless low <= high; either may be infinite
Tensor clamp(const Tensor& x, double low, double high);

inline Tensor operator-(const Tensor& x) { return negative(x); }  ///< The same as negative().

}  // namespace RECTO
