#pragma once
/// @file
/// Max pooling and average pooling of images and of series.
///
/// All functions work on the last axes; any axes before them are a batch. A result has \f$ \lfloor (\mathrm{size} +
/// 2\,\mathrm{padding} - \mathrm{dilation}\,(\mathrm{kernel} - 1) - 1) / \mathrm{stride} \rfloor + 1 \f$ rows; the same
/// formula gives the columns.
/// Pooling a whole image, *global* average pooling, is mean() over its last two axes.
#include <limits>

#include <recto/base/pair.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// How a window moves over an image: `{.stride = 2, .padding = {1, 0}}`. For a series, each option is a single number.
struct PoolOptions {
    static constexpr Index as_kernel = std::numeric_limits<Index>::min();  ///< a stride equal to the kernel
    Pair stride = as_kernel;  ///< pixels from one window to the next; by default the kernel's size
    Pair padding = 0;         ///< pixels added on each side, at most half the kernel
    Pair dilation = 1;        ///< pixels from one pixel of a window to the next
};

/// The largest number of each window; NaN if any is NaN. Padding is never the largest. Backward: the whole gradient
/// goes to the first largest number in row-major order.
/// @param x       (..., height, width)
/// @param kernel  rows and columns of a window
/// @throws Error with less than two axes, when kernel, stride or dilation is below 1, the padding negative or more than
/// half the kernel, the dilated kernel larger than the padded image, or the image or a window without a pixel
Tensor max_pool2d(const Tensor& x, Pair kernel, PoolOptions options = {});
/// max_pool2d() of (..., time). @throws Error as max_pool2d(), and when an option is a pair of different numbers
Tensor max_pool1d(const Tensor& x, Index kernel, PoolOptions options = {});

/// The mean of each window, in which zeros of the padding count. Backward: every number of a window gets an equal part
/// of the gradient.
/// @param x       (..., height, width)
/// @param kernel  rows and columns of a window
/// @throws Error as max_pool2d()
Tensor avg_pool2d(const Tensor& x, Pair kernel, PoolOptions options = {});
/// avg_pool2d() of (..., time). @throws Error as max_pool1d()
Tensor avg_pool1d(const Tensor& x, Index kernel, PoolOptions options = {});

}  // namespace RECTO
