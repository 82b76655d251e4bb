#pragma once
/// @file
/// Networks that answer for every pixel: U-Net, and the pyramid pooling of PSPNet.
#include <vector>

#include <recto/nn/conv.hpp>

namespace RECTO::nn {

/// The size of a UNet: `{.in = 3, .out = 4, .channels = {8, 16, 32}}`.
struct UNetSize {
    Index in;   ///< channels of the image
    Index out;  ///< channels of the answer: classes of a pixel
    std::vector<Index>
        channels;       ///< at each resolution, from that of the image down; each step halves height and width
    bool skips = true;  ///< whether the way up reads the way down
};

/// An encoder and a decoder, joined at every resolution (Ronneberger, Fischer and Brox, 2015, *U-Net*).
///
/// Down: a 3x3 convolution with relu() at each resolution, and the maximum of 2x2 pixels between two of them. Up: a
/// transposed 2x2 convolution of stride 2, whose result is concatenated with what the way down had at this resolution, and
/// a 3x3 convolution with relu(). A 1x1 convolution gives the answer. Without skips, the way up concatenates its result
/// with itself: the same number of parameters and the same cost.
struct UNet {
    std::vector<Conv2d> down;         ///< one for each resolution, finest first
    std::vector<ConvTranspose2d> up;  ///< from each resolution to the next finer one, coarsest first
    std::vector<Conv2d> join;         ///< after each `up`: from twice the channels to the channels of its resolution
    Conv2d leave;                     ///< 1x1: channels of the finest resolution to `out`
    bool skips;                       ///< whether the way up reads the way down

    /// Draws the first values. @throws Error without channels, or when a number of channels is below 1
    UNet(const UNetSize& size, Generator& random, Device device = Device::cpu);

    /// (batch, in, height, width) to (batch, out, height, width).
    /// @throws Error unless height and width are multiples of 2 to the number of resolutions minus one
    Tensor operator()(const Tensor& images) const;

    /// Names its parts: `down.0.weight`, `up.0.weight`, `join.0.weight`, ..., `leave.bias`.
    void visit(auto&& part) { part("down", down), part("up", up), part("join", join), part("leave", leave); }
};

/// The pyramid pooling of PSPNet (Zhao, Shi, Qi, Wang and Jia, 2017, *Pyramid scene parsing network*). A feature map is
/// averaged over grids of several sizes. A 1x1 convolution with relu() narrows each grid, bilinear interpolation enlarges
/// it to the size of the map, and all are concatenated with the map. The branch of the grid 1x1 tells every pixel the same
/// about the whole image.
struct PyramidPooling {
    std::vector<Index> grids;    ///< rows, and columns, of each grid
    std::vector<Conv2d> narrow;  ///< one for each grid: a 1x1 convolution

    /// @param in      channels of the feature map
    /// @param out     channels of each branch
    /// @param grids   1x1, 2x2, 3x3 and 6x6 in the paper
    /// @throws Error without grids, with a grid below 1, or when a number of channels is below 1
    PyramidPooling(Index in, Index out, Generator& random, std::vector<Index> grids = {1, 2, 3, 6},
                   Device device = Device::cpu);

    /// The enlarged grids, one tensor (batch, out, rows, columns) for each.
    std::vector<Tensor> branches(const Tensor& x) const;

    /// (batch, in, rows, columns) to (batch, in + out grids, rows, columns): the map, then the branches.
    /// @throws Error unless x is a batch of maps with at least one pixel
    Tensor operator()(const Tensor& x) const;

    /// Names its parts: `narrow.0.weight`, ...
    void visit(auto&& part) { part("narrow", narrow); }
};

}  // namespace RECTO::nn
