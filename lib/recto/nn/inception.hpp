#pragma once
/// @file
/// Inception blocks: parallel branches with kernels of different sizes.
#include <array>

#include <recto/nn/conv.hpp>
#include <recto/nn/pool.hpp>
#include <recto/nn/sequential.hpp>

namespace RECTO::nn {

/// The size of an Inception block: `{.in = 192, .one = 64, .narrow3 = 96, .three = 128, .narrow5 = 16, .five = 32, .pooled =
/// 32}` is the first block of GoogLeNet.
struct InceptionSize {
    Index in;       ///< channels of the input
    Index one;      ///< channels of the 1x1 branch
    Index narrow3;  ///< channels before the 3x3 convolution
    Index three;    ///< channels of the 3x3 branch
    Index narrow5;  ///< channels before the 5x5 convolution
    Index five;     ///< channels of the 5x5 branch
    Index pooled;   ///< channels of the branch that pools

    Index out() const { return one + three + five + pooled; }  ///< Channels of the result.
};

/// An Inception block (Szegedy et al., 2015, *Going deeper with convolutions*). Four branches read the same input: a 1x1
/// convolution; 1x1, then 3x3; 1x1, then 5x5; the maximum of 3x3 pixels, then 1x1. Every convolution has a bias and is
/// followed by relu(). The result has the channels of all branches, in this order. Weights start with he_init().
struct Inception {
    using Single = Sequential<Conv2d, Relu>;                ///< One convolution.
    using Double = Sequential<Conv2d, Relu, Conv2d, Relu>;  ///< A narrow 1x1 convolution, then a wider one.
    using Pooled = Sequential<MaxPool2d, Conv2d, Relu>;     ///< A maximum, then a convolution.

    Single one;     ///< the 1x1 branch
    Double three;   ///< the 3x3 branch
    Double five;    ///< the 5x5 branch
    Pooled pooled;  ///< the branch that pools

    /// Draws the first values. @throws Error when a number of channels is below 1
    Inception(const InceptionSize& size, Generator& random, Device device = Device::cpu);

    /// The results of the four branches, each (batch, its channels, rows, columns).
    std::array<Tensor, 4> branches(const Tensor& x) const;
    Tensor operator()(const Tensor& x) const;  ///< (batch, in, rows, columns) to (batch, out, rows, columns)

    /// Names its parts: `one.0.weight`, `three.0.weight`, ...
    void visit(auto&& part) { part("one", one), part("three", three), part("five", five), part("pooled", pooled); }
};

/// An Inception block with a residual connection, relu(x + scale project(block(x))): a 1x1 convolution projects the
/// channels of all branches to those of the input.
///
/// Szegedy, Ioffe, Vanhoucke and Alemi 2017, *Inception-v4, Inception-ResNet and the impact of residual connections*.
struct InceptionResidual {
    Inception block;  ///< the branches
    Conv2d project;   ///< a 1x1 convolution from the channels of all branches to those of the input
    double scale;     ///< factor of what is added

    /// Draws the first values. @throws Error as Inception
    InceptionResidual(const InceptionSize& size, Generator& random, double scale = 0.2, Device device = Device::cpu);

    Tensor operator()(const Tensor& x) const;  ///< (batch, in, rows, columns) to the same shape

    /// Names its parts: `block.one.0.weight`, ..., `project.weight`.
    void visit(auto&& part) { part("block", block), part("project", project); }
};

}  // namespace RECTO::nn
