#pragma once
/// @file
/// Densely connected convolutional networks: in a block, each layer reads the results of all layers before it.
#include <optional>
#include <vector>

#include <recto/nn/conv.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/pool.hpp>
#include <recto/nn/sequential.hpp>

namespace RECTO::nn {

/// The size of a DenseBlock: `{.in = 64, .layers = 6, .growth = 32}`.
struct DenseBlockSize {
    Index in;          ///< channels of the input
    Index layers;      ///< number of layers
    Index growth;      ///< k: channels that each layer adds
    Index narrow = 0;  ///< channels that a 1x1 convolution leaves to each 3x3 convolution; 0 for no such convolution
};

/// One layer of a DenseBlock: batch normalisation, relu() and a 3x3 convolution to k channels; before them, with `narrow`,
/// batch normalisation, relu() and a 1x1 convolution to few channels.
struct DenseLayer {
    /// Normalisation, relu and convolution.
    using Part = Sequential<BatchNorm, Relu, Conv2d>;
    std::optional<Part> narrow;  ///< (batch, in, rows, columns) to (batch, narrow, rows, columns), or nothing
    Part widen;                  ///< to (batch, k, rows, columns)

    /// Draws the first values. @throws Error when a number of channels is below 1
    DenseLayer(Index in, Index growth, Index narrow, Generator& random, Device device = Device::cpu);

    Tensor operator()(const Tensor& x) const;  ///< (batch, in, rows, columns) to (batch, k, rows, columns)

    /// Names its parts: `narrow.0.weight`, ..., `widen.2.weight`.
    void visit(auto&& part) {
        if (narrow) part("narrow", *narrow);
        part("widen", widen);
    }
};

/// A dense block (Huang, Liu, van der Maaten and Weinberger, 2017): layer l reads the input and the results of all layers
/// before it, concatenated, and adds k channels of its own. No result is ever summed or overwritten. Each layer copies all
/// channels before it into a new tensor, and the tape keeps them all: memory grows with the square of the number of layers.
struct DenseBlock {
    std::vector<DenseLayer> layers;  ///< in the order in which they run

    /// Draws the first values. @throws Error when there is no layer, or a number of channels is below 1
    DenseBlock(const DenseBlockSize& size, Generator& random, Device device = Device::cpu);

    /// (batch, in, rows, columns) to (batch, in + k layers, rows, columns): the input, then the result of each layer
    Tensor operator()(const Tensor& x) const;

    /// Names its parts: `layers.0.widen.2.weight`, ...
    void visit(auto&& part) { part("layers", layers); }
};

/// The size of a DenseNet, by default that of DenseNet-121.
struct DenseNetSize {
    std::vector<Index> blocks = {6, 12, 24, 16};  ///< layers of each block
    Index growth = 32;                            ///< k: channels that each layer adds
    Index narrow = 128;    ///< channels between the 1x1 and the 3x3 convolution of a layer; 0 for no 1x1 convolution
    Index stem = 64;       ///< channels of the stem
    Index channels = 3;    ///< of an image
    Index classes = 1000;  ///< scores of an image
    bool large = true;     ///< whether the stem is a 7x7 convolution with stride 2 and pooling, or a 3x3 one without
};

/// Dense blocks with a *transition* between two of them: batch normalisation, relu(), a 1x1 convolution to half of the
/// channels, and the mean of 2x2 pixels. The head reads the mean of each channel.
///
/// Huang et al. 2017, *Densely connected convolutional networks*. With the default size and 3x224x224 pixels this is
/// DenseNet-121, with 7,978,856 parameters. Weights start with he_init(); no convolution has a bias.
struct DenseNet {
    /// Halves the channels, the rows and the columns.
    using Transition = Sequential<BatchNorm, Relu, Conv2d, AvgPool2d>;

    Conv2d stem;                          ///< (batch, channels, H, W) to (batch, stem, H / 2, W / 2), or the same size
    std::optional<BatchNorm> stem_norm;   ///< with a large stem, followed by relu and pooling to a quarter of H and W
    std::vector<DenseBlock> blocks;       ///< the blocks
    std::vector<Transition> transitions;  ///< one fewer than there are blocks
    BatchNorm last;                       ///< normalises the channels of the last block
    Linear head;                          ///< means of channels to scores

    /// Draws the first values. @throws Error when there is no block, or a size that a layer refuses
    explicit DenseNet(const DenseNetSize& size, Generator& random, Device device = Device::cpu);

    Tensor operator()(const Tensor& images) const;  ///< (batch, channels, rows, columns) to (batch, classes)

    /// Names its parts: `stem.weight`, `blocks.0.layers.0.widen.2.weight`, ...
    void visit(auto&& part) {
        part("stem", stem);
        if (stem_norm) part("stem_norm", *stem_norm);
        part("blocks", blocks), part("transitions", transitions), part("last", last), part("head", head);
    }
};

}  // namespace RECTO::nn
