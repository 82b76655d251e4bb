#pragma once
/// @file
/// Convolutional layers.
#include <recto/nn/init.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/images/conv.hpp>

namespace RECTO::nn {

/// Options of Conv1d, Conv2d and ConvTranspose2d: those of ConvOptions and LinearOptions.
struct ConvLayerOptions {
    Pair stride = 1;              ///< see ConvOptions
    Pair padding = 0;             ///< see ConvOptions
    Pair output_padding = 0;      ///< see ConvOptions
    Pair dilation = 1;            ///< see ConvOptions
    Index groups = 1;             ///< see ConvOptions
    bool bias = true;             ///< whether the layer has a bias
    Init weights = uniform_init;  ///< first values of the weights
    Device device = Device::cpu;  ///< device of its parameters
};

/// Convolution of images by learned kernels, see conv2d().
struct Conv2d {
    Tensor weight;        ///< (out, in / groups, kernel height, kernel width)
    Tensor bias;          ///< (out), or undefined
    ConvOptions options;  ///< how the kernels move

    /// Initialises the parameters as Linear does.
    /// @throws Error when a size or an option is out of range, or groups do not divide both
    Conv2d(Index in, Index out, Pair kernel, Generator& random, ConvLayerOptions options = {});

    Tensor operator()(const Tensor& x) const;  ///< (batch, in, height, width) to (batch, out, rows, columns)

    /// Names its parts.
    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
};

/// Convolution of series by learned kernels, see conv1d().
struct Conv1d {
    Tensor weight;        ///< (out, in / groups, kernel)
    Tensor bias;          ///< (out), or undefined
    ConvOptions options;  ///< how the kernels move

    /// Initialises the parameters as Linear does.
    /// @throws Error when a size or an option is out of range, an option is a pair of different numbers, or groups do not
    /// divide both
    Conv1d(Index in, Index out, Index kernel, Generator& random, ConvLayerOptions options = {});

    Tensor operator()(const Tensor& x) const;  ///< (batch, in, time) to (batch, out, time')

    /// Names its parts.
    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
};

/// Transposed convolution by learned kernels, see conv_transpose2d().
struct ConvTranspose2d {
    Tensor weight;        ///< (in, out / groups, kernel height, kernel width)
    Tensor bias;          ///< (out), or undefined
    ConvOptions options;  ///< how the kernels move over the result

    /// Initialises the parameters as Linear does.
    /// @throws Error when a size or an option is out of range, or groups do not divide both
    ConvTranspose2d(Index in, Index out, Pair kernel, Generator& random, ConvLayerOptions options = {});

    Tensor operator()(const Tensor& x) const;  ///< (batch, in, height, width) to (batch, out, rows, columns)

    /// Names its parts.
    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
};

}  // namespace RECTO::nn
