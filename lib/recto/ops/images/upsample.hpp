#pragma once
/// @file
/// Resizing of images. All functions work on the last two axes; any axes before them are a batch.
#include <recto/base/pair.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Every pixel of the result is the pixel of `x` at the same position: \f$ y_{r,s} = x_{\lfloor r\, h / h' \rfloor,
/// \lfloor s\, w / w' \rfloor} \f$ from (h, w) to (h', w'). Backward: every pixel gets the sum over its copies.
/// @param x     (..., height, width)
/// @param size  of the result; it may be smaller
/// @throws Error with less than two axes, when `size` has a 0, or `x` has no pixel
Tensor resize_nearest(const Tensor& x, Pair size);

/// Every pixel of the result is the mean of the four nearest pixels of `x`, weighted by nearness, where a pixel's
/// position is its centre: row \f$ r \f$ is at \f$ (r + \frac12)\, h / h' - \frac12 \f$, limited to the outermost
/// centres. Backward: every pixel gets its share of each result that reads it. This is `align_corners=False`.
/// @param x     (..., height, width)
/// @param size  of the result; it may be smaller
/// @throws Error as resize_nearest()
Tensor resize_bilinear(const Tensor& x, Pair size);

/// resize_nearest() to `factor` times the size: every pixel becomes a block. @throws Error when a factor is below 1
Tensor upsample_nearest(const Tensor& x, Pair factor);

/// resize_bilinear() to `factor` times the size. @throws Error when a factor is below 1
Tensor upsample_bilinear(const Tensor& x, Pair factor);

}  // namespace RECTO
