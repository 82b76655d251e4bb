#pragma once
/// @file
/// Pooling to a given size, for images of any size.
///
/// Row r of the result pools the rows from \f$ \lfloor r\,\mathrm{size} / \mathrm{rows} \rfloor \f$ up to, but not
/// including, \f$ \lceil (r + 1)\,\mathrm{size} / \mathrm{rows} \rceil \f$, and the same holds for columns:
/// neighbouring windows differ by at most one in size, and may share a row. All functions work on the last axes; axes
/// before them are a batch.
#include <recto/base/pair.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// The mean of each window. Backward: every number of a window gets an equal part of the window's gradient.
/// @param x     (..., height, width)
/// @param size  rows and columns of the result
/// @return      (..., rows, columns)
/// @throws Error with less than two axes, a size below 1, or an image without a pixel
Tensor adaptive_avg_pool2d(const Tensor& x, Pair size);
/// adaptive_avg_pool2d() of (..., time) to (..., size).
Tensor adaptive_avg_pool1d(const Tensor& x, Index size);

/// The largest number of each window; NaN if any is NaN. Backward: the whole gradient goes to the first largest number
/// in row-major order.
/// @param x     (..., height, width)
/// @param size  rows and columns of the result
/// @return      (..., rows, columns)
/// @throws Error as adaptive_avg_pool2d()
Tensor adaptive_max_pool2d(const Tensor& x, Pair size);
/// adaptive_max_pool2d() of (..., time) to (..., size).
Tensor adaptive_max_pool1d(const Tensor& x, Index size);

}  // namespace RECTO
