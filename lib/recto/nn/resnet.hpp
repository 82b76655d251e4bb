#pragma once
/// @file
/// Residual networks for images: bottleneck blocks, and networks made of them such as ResNet-50.
#include <optional>
#include <vector>

#include <recto/nn/conv.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/pool.hpp>
#include <recto/nn/sequential.hpp>

namespace RECTO::nn {

/// The size of a Bottleneck: `{.in = 256, .narrow = 64, .out = 256}`.
struct BottleneckSize {
    Index in;          ///< channels of the input
    Index narrow;      ///< channels that the 3x3 convolution reads and returns
    Index out;         ///< channels of the result
    Index stride = 1;  ///< S: the result has an S-th of the rows and of the columns, rounded up
};

/// Options of Bottleneck and ResNet.
struct BottleneckOptions {
    /// Whether the 3x3 convolution has the stride, as in Goyal et al. 2017, *Accurate, large minibatch SGD*, rather than the
    /// first 1x1 convolution.
    bool stride_on_3x3 = false;
    bool zero_last = false;  ///< whether the scale of the last normalisation starts at 0: then relu(shortcut) remains
    Device device = Device::cpu;  ///< device of the parameters
};

/// A residual block of three convolutions: 1x1 to few channels, 3x3 among these, and 1x1 to many channels again. Each is
/// followed by batch normalisation, the first two also by relu(). The result is relu(path(x) + shortcut(x)). The shortcut is
/// x itself if the shape stays, and else a 1x1 convolution with the block's stride, and batch normalisation.
///
/// He et al. 2016, *Deep residual learning for image recognition*. Weights start with he_init(); no convolution has a bias.
struct Bottleneck {
    /// The three convolutions, at 0, 3 and 6.
    using Path = Sequential<Conv2d, BatchNorm, Relu, Conv2d, BatchNorm, Relu, Conv2d, BatchNorm>;
    using Projection = Sequential<Conv2d, BatchNorm>;  ///< a shortcut that changes the shape

    Path path;                             ///< computes what is added to the shortcut
    std::optional<Projection> projection;  ///< the shortcut; empty where x itself goes around

    /// Draws the first values. @throws Error when a number of channels or the stride is below 1
    Bottleneck(const BottleneckSize& size, Generator& random, const BottleneckOptions& options = {});

    Tensor operator()(const Tensor& x) const;  ///< (batch, in, rows, columns) to (batch, out, rows / S, columns / S)

    /// Names its parts: `path.0.weight`, ...
    void visit(auto&& part) {
        part("path", path);
        if (projection) part("projection", *projection);
    }
};

/// The size of a ResNet, by default that of ResNet-50; `{.blocks = {3, 4, 23, 3}}` is ResNet-101.
struct ResNetSize {
    std::vector<Index> blocks = {3, 4, 6, 3};  ///< bottleneck blocks of each stage
    Index width = 64;      ///< channels of the stem; the 3x3 convolutions of stage s, from 0, have width 2^s channels
    Index channels = 3;    ///< of an image
    Index classes = 1000;  ///< scores of an image
};

/// A residual network of bottleneck blocks. A 7x7 convolution with stride 2 and max pooling reduce the image to a quarter of
/// its rows and columns. In every stage the first block has a projection; from the second stage on it has stride 2 and
/// doubles the channels. The mean of each channel goes through a linear layer.
///
/// He et al. 2016. With the default size and 3x224x224 pixels this is ResNet-50, with 25,557,032 parameters.
struct ResNet {
    Sequential<Conv2d, BatchNorm, Relu> stem;     ///< (batch, channels, H, W) to (batch, width, H/2, W/2)
    MaxPool2d pool;                               ///< to (batch, width, H/4, W/4)
    std::vector<std::vector<Bottleneck>> stages;  ///< the blocks of each stage
    Linear head;                                  ///< means of channels to scores

    /// Draws the first values. @throws Error when there is no stage, a stage without a block, or a size that a layer refuses
    explicit ResNet(const ResNetSize& size, Generator& random, const BottleneckOptions& options = {});

    Tensor operator()(const Tensor& images) const;  ///< (batch, channels, rows, columns) to (batch, classes)

    /// Names its parts: `stem.0.weight`, `stages.0.0.path.0.weight`, ...
    void visit(auto&& part) { part("stem", stem), part("pool", pool), part("stages", stages), part("head", head); }
};

}  // namespace RECTO::nn
