#pragma once
/// @file
/// Flow fields: a displacement for each pixel, how an image is read along one, and how far two of them are apart.
///
/// A flow has the shape (batch, 2, height, width) and is in pixels: channel 0 points to the right, channel 1 down.
#include <recto/base/pair.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO::nn {

/// Warps images: each pixel of the result is read from `x` where its arrow of the flow ends, by bilinear interpolation
/// (Jaderberg et al., 2015, *Spatial transformer networks*):
///
/// \f[ y_{rs} = (1-a)(1-b)\, x_{ij} + (1-a)\, b\, x_{i\,j+1} + a (1-b)\, x_{i+1\,j} + a b\, x_{i+1\,j+1} \f]
///
/// with \f$ r + f_1 = i + a \f$ and \f$ s + f_0 = j + b \f$, where i and j are whole and a and b are at least 0 and below
/// 1. A position outside the image is moved to the nearest place of its border, and its arrow gets no gradient across
/// that border. At a whole position the derivative by the flow is that towards the right and down, in the last column
/// or row that from the left or from above.
///
/// It consists of recorded operations, and of indices that the host computes; so a captured step refuses it.
/// @param x     (batch, channels, height, width)
/// @param flow  (batch, 2, height, width); NaN gives NaN
/// @return      the shape of `x`
/// @throws Error when the shapes or devices do not fit, or an image has no pixel
Tensor warp(const Tensor& x, const Tensor& flow);

/// Resizes a flow by resize_bilinear(), and its arrows with it: in an image of twice the height and width, the same
/// displacement is twice as many pixels.
/// @throws Error unless `flow` is (batch, 2, height, width), or as resize_bilinear()
Tensor resize_flow(const Tensor& flow, Pair size);

/// The end-point errors: the length of the difference between two arrows, for each pixel. Without a gradient.
/// @return  (batch, height, width)
/// @throws Error unless both are (batch, 2, height, width) and of equal shape
Tensor end_point_errors(const Tensor& flow, const Tensor& truth);

}  // namespace RECTO::nn
