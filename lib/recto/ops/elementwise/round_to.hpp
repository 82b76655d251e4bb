#pragma once
/// @file
/// Rounding to a shorter floating-point format, as in mixed precision.
#include <recto/base/float_formats.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Rounds every element to the nearest number of a format, such as `fp16`; the result is still stored as Real.
///
/// Backward: the gradient passes, rounded to the same format, as in real low-precision training: \f$ dx =
/// \mathrm{round}(dy) \f$. Small gradients underflow to 0, which loss scaling prevents.
///
/// @param x  any shape
Tensor round_to(const Tensor& x, FloatFormat format);

}  // namespace RECTO
