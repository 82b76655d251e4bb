#pragma once
/// @file
/// Residual networks for small images: blocks of two 3x3 convolutions, and the family with 6n + 2 layers.
#include <array>
#include <vector>

#include <recto/nn/conv.hpp>
#include <recto/nn/linear.hpp>
#include <recto/nn/norm.hpp>

namespace RECTO::nn {

/// Options of ConvBlock and SmallResNet.
struct ConvBlockOptions {
    bool residual = true;         ///< whether a shortcut leads around the two convolutions
    Device device = Device::cpu;  ///< device of the parameters
};

/// Two 3x3 convolutions, each followed by batch normalisation, with relu() in between. The result is relu(path(x) +
/// shortcut(x)), or relu(path(x)) in a block that is not residual. Weights start with he_init(); no convolution has a bias.
///
/// He et al. 2016, *Deep residual learning for image recognition*, with their shortcut A, which has no parameters.
struct ConvBlock {
    Conv2d first;           ///< has the block's stride
    BatchNorm first_norm;   ///< follows the first convolution
    Conv2d second;          ///< keeps the shape
    BatchNorm second_norm;  ///< follows the second convolution
    bool residual;          ///< whether the shortcut is added

    /// Draws the first values. @throws Error when a number of channels or the stride is below 1, or a residual block has
    /// fewer channels in its result than in its input
    ConvBlock(Index in, Index out, Index stride, Generator& random, ConvBlockOptions options = {});

    /// What a residual block adds: (batch, in, rows, columns) to (batch, out, rows / stride, columns / stride), rounded up.
    Tensor path(const Tensor& x) const;
    /// x itself if the shape stays; else every stride-th row and column, and channels of zeros behind those of x.
    Tensor shortcut(const Tensor& x) const;
    Tensor operator()(const Tensor& x) const;  ///< relu of the path, and of the sum in a residual block

    /// Names its parts.
    void visit(auto&& part) {
        part("first", first), part("first_norm", first_norm);
        part("second", second), part("second_norm", second_norm);
    }
};

/// The size of a SmallResNet, by default that of the network with 20 layers for photographs of 32x32 pixels.
struct SmallResNetSize {
    Index blocks = 3;                            ///< n: blocks of each of the three stages
    std::array<Index, 3> widths = {16, 32, 64};  ///< channels of each stage
    Index stride = 1;                            ///< of the first convolution
    Index channels = 3;                          ///< of an image
    Index classes = 10;                          ///< scores of an image
};

/// A residual network with 6n + 2 layers: a 3x3 convolution with batch normalisation and relu(), three stages of n blocks,
/// of which the second and the third begin with a stride of 2, the mean of each channel, and a linear layer. With the option
/// `residual = false` the plain network with the same layers and the same parameters.
///
/// He et al. 2016. The default size has 269,722 parameters.
struct SmallResNet {
    Conv2d enter;                   ///< (batch, channels, rows, columns) to (batch, widths[0], ...)
    BatchNorm norm;                 ///< follows it
    std::vector<ConvBlock> blocks;  ///< the blocks of all stages
    Linear head;                    ///< means of channels to scores

    /// Draws the first values. @throws Error when a stage has no block, or for a size that a layer refuses
    explicit SmallResNet(const SmallResNetSize& size, Generator& random, ConvBlockOptions options = {});

    Tensor stem(const Tensor& images) const;        ///< what the first block reads
    Tensor scores(const Tensor& h) const;           ///< (batch, widths[2], rows, columns) to (batch, classes)
    Tensor operator()(const Tensor& images) const;  ///< (batch, channels, rows, columns) to (batch, classes)

    /// Names its parts: `enter.weight`, `norm.weight`, `blocks.0.first.weight`, ...
    void visit(auto&& part) { part("enter", enter), part("norm", norm), part("blocks", blocks), part("head", head); }
};

}  // namespace RECTO::nn
