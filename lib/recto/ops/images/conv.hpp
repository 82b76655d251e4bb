#pragma once
/// @file
/// Convolution and transposed convolution of images and of series.
///
/// As everywhere in deep learning, *convolution* means cross-correlation: the kernel is not flipped (Dumoulin and
/// Visin, 2016, draw all the settings). Pixels out of bounds count as zero.
#include <recto/base/pair.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// How a kernel moves over an image: `{.stride = 2, .padding = {1, 0}}`. The options of a transposed convolution are
/// those of the convolution whose backward pass it is. For a series, each option is a single number.
struct ConvOptions {
    Pair stride = 1;          ///< pixels from one position of the kernel to the next; in the result, if transposed
    Pair padding = 0;         ///< zeros added on each side; transposed: rows and columns removed from the result
    Pair output_padding = 0;  ///< transposed only: rows and columns added at the end; below stride or dilation
    Pair dilation = 1;        ///< pixels from one tap of the kernel to the next
    Index groups = 1;         ///< number of groups of channels, convolved independently; one per channel: depthwise
};

/// Convolution of images.
///
/// \f[ y_{n,o,r,s} = b_o + \sum_{i,a,b} w_{o,i,a,b}\; x_{n,\,i,\;r \cdot \mathrm{stride} - \mathrm{padding} + a \cdot
/// \mathrm{dilation},\; \ldots} \f]
///
/// The result has \f$ \lfloor (\mathrm{size} + 2\,\mathrm{padding} - \mathrm{dilation}\,(\mathrm{kernel} - 1) - 1) /
/// \mathrm{stride} \rfloor + 1 \f$ rows; the same formula gives the columns. Backward: \f$ dx \f$ is conv_transpose2d()
/// of \f$ dy \f$ with the same weights; \f$ dw \f$ and \f$ db \f$ are sums over the batch and all pixels.
///
/// @param x       (batch, channels in, height, width)
/// @param weight  (channels out, channels in / groups, kernel height, kernel width)
/// @param bias    (channels out), or undefined for none
/// @return        (batch, channels out, rows, columns)
/// @throws Error when shapes or devices do not fit, the kernel is larger than the padded image, or an option is out of
/// range: stride, dilation and groups below 1, padding below 0, any output padding
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(), ConvOptions options = {});

/// conv2d() of series: x (batch, channels in, time), weight (channels out, channels in / groups, kernel).
/// @throws Error as conv2d(), and when an option is a pair of different numbers
Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(), ConvOptions options = {});

/// Transposed convolution: the backward pass of conv2d() as a forward pass, from the result's shape back to the
/// input's.
///
/// Each pixel of `x` adds its multiple of the kernel to the result, `stride` apart: \f[ y_{n,o,r,s} = b_o +
/// \sum_{i,a,b} w_{i,o,a,b}\, x_{n,i,r',s'} \f] over all \f$ r' \cdot \mathrm{stride} - \mathrm{padding} + a \cdot
/// \mathrm{dilation} = r \f$, and the same for the columns. The result has \f$ (\mathrm{size} - 1)\,\mathrm{stride} -
/// 2\,\mathrm{padding} + \mathrm{dilation}\, (\mathrm{kernel} - 1) + \mathrm{output\ padding} + 1 \f$ rows. Backward:
/// \f$ dx \f$ is conv2d() of \f$ dy \f$.
///
/// @param x       (batch, channels in, height, width)
/// @param weight  (channels in, channels out / groups, kernel height, kernel width)
/// @param bias    (channels out), or undefined for none
/// @return        (batch, channels out, rows, columns)
/// @throws Error as conv2d(), and when the result would have no pixel
Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(), ConvOptions options = {});

/// conv_transpose2d() of series: x (batch, channels in, time), weight (channels in, channels out / groups, kernel).
/// @throws Error as conv_transpose2d(), and when an option is a pair of different numbers
Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(), ConvOptions options = {});

}  // namespace RECTO
