#pragma once
/// @file
/// Degradations: what cameras and file formats do to images, made by algorithm. A network that restores images learns
/// from pairs of a degraded image and its original.
///
/// Pixels are from 0 (black) to 1 (white). The functions change data and record nothing on the tape. Those that draw take
/// a Generator, and give the same bits for the same seed. Noise is in augment.hpp: noisy().
#include <array>

#include <recto/core/random.hpp>

namespace RECTO::data {

/// The weights of red, green and blue in grayscale(), from ITU-R BT.601. They sum to 1.
inline constexpr std::array<double, 3> gray_weights = {0.299, 0.587, 0.114};

/// The brightness of colour images: the sum of red, green and blue with gray_weights.
///
/// @param x  (n, 3, height, width)
/// @return   (n, 1, height, width)
/// @throws Error unless `x` is on cpu and has this shape
Tensor grayscale(const Tensor& x);

/// Smaller images: each pixel is the mean of a box of `factor` x `factor` pixels.
///
/// @param x  (..., height, width)
/// @return   (..., height / factor, width / factor)
/// @throws Error unless `x` is on cpu with at least two axes, the factor is at least 1 and divides height and width
Tensor downsized(const Tensor& x, Index factor);

/// Out of focus: each pixel is a weighted mean of its neighbours, with the weights of a normal distribution up to three
/// deviations. Neighbours outside the image do not count.
///
/// @param x          (..., height, width)
/// @param deviation  of the normal distribution, in pixels; 0 changes nothing
/// @return           the shape of `x`
/// @throws Error unless `x` is on cpu with at least two axes, and the deviation is finite and at least 0
Tensor blurred(const Tensor& x, double deviation);

/// Lossy compression as in JPEG: the discrete cosine transform of blocks of 8 x 8 pixels, each coefficient rounded to a
/// multiple of its step, and the transform back, clipped to 0 and 1. The steps are the table for brightness of the JPEG
/// standard, scaled by the quality as in libjpeg; at quality 100 all are 1/255. Blocks at the edge repeat the last row and
/// column. Images with several channels are compressed channel by channel.
///
/// @param x        (..., height, width)
/// @param quality  from 1, strong compression, to 100
/// @return         the shape of `x`
/// @throws Error unless `x` is on cpu with at least two axes and at least one pixel, and the quality is in range
Tensor compressed(const Tensor& x, Index quality);

/// Low light: each pixel counts photons, whose number has a Poisson distribution, and is scaled back.
///
/// @param x        any shape, numbers of at least 0
/// @param photons  the mean number at a white pixel
/// @return         the shape of `x`; numbers may exceed 1
/// @throws Error unless `x` is on cpu, all numbers are finite and at least 0, and photons are finite and above 0
Tensor low_light(const Tensor& x, double photons, Generator& random);

}  // namespace RECTO::data
