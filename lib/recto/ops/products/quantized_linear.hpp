#pragma once
/// @file
/// The fully connected layer whose weights stay in blocks of few bits.
#include <recto/core/quantized_tensor.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// linear() with quantised weights: \f$ y = x\, \hat W^\top + b \f$, where \f$ \hat W \f$ are the numbers for which the
/// blocks stand.
///
/// For up to 8 rows of `x` the blocks are read as they are, and no restored matrix is ever written to memory: a language
/// model that generates one token reads every weight once, and this is what takes the time. For more rows the weights
/// are restored first. On processors with AVX2 the codes of a block become numbers eight at a time and the scale
/// multiplies the sum of their products; a block with a scale that is not finite gives a result that is not finite.
///
/// Backward: \f$ dx = dy\, \hat W \f$. The weights have no gradient.
///
/// @param x       (..., in)
/// @param weight  (out, in)
/// @param bias    (out), or undefined for none
/// @return        (..., out)
/// @throws Error when the shapes do not fit or the devices differ
Tensor quantized_linear(const Tensor& x, const QuantizedTensor& weight, const Tensor& bias = Tensor());

}  // namespace RECTO
