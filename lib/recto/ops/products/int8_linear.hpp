#pragma once
/// @file
/// The fully connected layer in whole numbers: signed bytes times signed bytes.
#include <recto/core/quantized_tensor.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// linear() with inputs and weights of 8 bits. The products of codes are added as whole numbers, without rounding; only
/// the sum of a block of 32 is multiplied by the block's scale.
///
/// An input is rounded to the nearest of 255 levels from -range to range, half away from zero: its code is \f$ c =
/// \mathrm{round}(127\, x / \mathrm{range}) \f$, limited to -127 and 127. With the blocks' scales \f$ d_b \f$ and codes
/// \f$ q \f$ an output is \f[ y = \frac{\mathrm{range}}{127} \sum_b d_b \sum_{i \in b} c_i\, q_i + \mathrm{bias}. \f]
///
/// Not on the tape. An output is NaN if an input of its row is.
///
/// @param x       (..., in)
/// @param weight  (out, in) in Q8_0
/// @param range   the largest size of an input that is expected; larger ones are cut off
/// @param bias    (out), or undefined for none
/// @return        (..., out)
/// @throws Error when the shapes do not fit, the devices differ, the weights have another format, or the range is not
/// a positive number
Tensor int8_linear(const Tensor& x, const QuantizedTensor& weight, double range, const Tensor& bias = Tensor());

}  // namespace RECTO
