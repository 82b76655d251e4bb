#pragma once
/// @file
/// Numbers as a shorter format would keep them.
#include <recto/base/float_formats.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Rounds every number to the nearest of a format, such as `fp16`; the result still lies in memory as Real.
///
/// Backward: the gradient passes, rounded to the same format, as it does where numbers really are kept so:
/// \f$ dx = \mathrm{round}(dy) \f$. Small gradients vanish in it, which is what scaling the loss is for.
///
/// @param x  any shape
Tensor round_to(const Tensor& x, FloatFormat format);

}  // namespace RECTO
