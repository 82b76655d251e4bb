#pragma once
/// @file
/// LeNet: a small convolutional network for grey images of 28x28 pixels.
#include <recto/nn/conv.hpp>
#include <recto/nn/linear.hpp>

namespace RECTO::nn {

/// Two convolutions with 5x5 kernels, each followed by max pooling and relu(), and two dense layers. It has 105,506
/// parameters. Weights start with he_init().
///
/// Figure 5.2 of Fleuret 2023, *The Little Book of Deep Learning*: a relative of LeNet-5 (LeCun et al. 1998, *Gradient-based
/// learning applied to document recognition*).
struct LeNet {
    Conv2d first;   ///< 1 to 32 channels
    Conv2d second;  ///< 32 to 64 channels
    Linear hidden;  ///< 256 numbers to 200
    Linear head;    ///< 200 numbers to 10 scores

    /// Draws the first values.
    explicit LeNet(Generator& random, Device device = Device::cpu);

    Tensor operator()(const Tensor& images) const;  ///< (batch, 1, 28, 28) to (batch, 10)

    /// Names its parts.
    void visit(auto&& part) {
        part("first", first), part("second", second), part("hidden", hidden), part("head", head);
    }
};

}  // namespace RECTO::nn
