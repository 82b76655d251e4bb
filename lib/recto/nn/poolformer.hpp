#pragma once
/// @file
/// PoolFormer: blocks of a Transformer for images whose mixer is an average over neighbours.
#include <vector>

#include <recto/nn/conv.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/sequential.hpp>

namespace RECTO::nn {

/// The mean of the window around each pixel, less the pixel itself. At the border the mean is that of the pixels inside.
/// @param x       (batch, channels, rows, columns)
/// @param window  rows and columns of the window, odd
/// @throws Error unless the window is odd and at least 1
Tensor pool_mixer(const Tensor& x, Index window = 3);

/// A block of PoolFormer (Yu et al., 2022, *MetaFormer is actually what you need for vision*): a Transformer block with
/// pool_mixer() in the place of attention. Both branches begin with a normalisation of all numbers of an image, and end with
/// a trained factor for each channel.
struct PoolFormerBlock {
    GroupNorm norm_mix;    ///< before the mixer; one group
    GroupNorm norm_widen;  ///< before the convolutions; one group
    Conv2d widen;          ///< 1x1 convolution, (D) to (hidden); gelu() follows
    Conv2d narrow;         ///< 1x1 convolution, back to (D)
    Tensor scale_mix;      ///< (D, 1, 1): factors of what the mixer adds, initially `scale`
    Tensor scale_narrow;   ///< (D, 1, 1): factors of what the convolutions add, initially `scale`
    Index window;          ///< window of the mixer

    /// Draws the first weights. @throws Error when a width is below 1
    PoolFormerBlock(Index width, Index hidden, Generator& random, double scale = 1, Device device = Device::cpu);

    Tensor operator()(const Tensor& x) const;  ///< (batch, D, rows, columns) to the same shape

    /// Names its parts.
    void visit(auto&& part) {
        part("norm_mix", norm_mix), part("norm_widen", norm_widen), part("widen", widen), part("narrow", narrow);
        part("scale_mix", scale_mix), part("scale_narrow", scale_narrow);
    }
};

}  // namespace RECTO::nn
