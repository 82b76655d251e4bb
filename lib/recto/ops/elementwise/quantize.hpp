#pragma once
/// @file
/// Quantisation: numbers stored with few bits, and numbers rounded as if they were.
#include <recto/core/quantized_tensor.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Stores `x` in blocks of 32 numbers along its last axis, with the bytes that llama.cpp writes. Not on the tape.
///
/// @param x       (..., n) with n a multiple of 32
/// @param format  one of `block_formats`, such as `q4_1`
/// @return        the shape of `x`
/// @throws Error when the last axis is not a whole number of blocks
QuantizedTensor quantize(const Tensor& x, BlockFormat format);

/// The numbers for which the blocks stand.
/// @return  the shape of `q`
Tensor dequantize(const QuantizedTensor& q);

/// Rounds to evenly spaced levels, from the smallest to the largest number of each group: quantisation without storing
/// less.
///
/// With \f$ L \f$ levels and the scale \f$ d = (\max - \min)/(L - 1) \f$ of its group, a number becomes \f$ \min + d
/// \lfloor (x - \min)/d + 1/2 \rfloor \f$.
///
/// Backward: the staircase has derivative 0 almost everywhere, so the gradient passes as if there were no staircase,
/// the straight-through estimator of Bengio, Léonard and Courville (2013): \f$ dx = dy \f$.
///
/// @param x       any shape
/// @param levels  from 2 to 65536; 2 to the power of b for b bits
/// @param group   how many successive numbers, in row-major order, share their levels; the last group may be shorter
/// @throws Error when there are fewer than two levels or too many, or the group is empty
Tensor fake_quantize(const Tensor& x, Index levels, Index group);

}  // namespace RECTO
