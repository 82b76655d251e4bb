#pragma once
/// @file
/// The fully connected layer as a module.
#include <recto/nn/init.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/products/linear.hpp>

namespace RECTO::nn {

/// What a Linear layer may be told.
struct LinearOptions {
    bool bias = true;             ///< has it a bias?
    Init weights = uniform_init;  ///< first values of the weights
    Device device = Device::cpu;  ///< where its numbers live
};

/// y = x W^T + b, see linear().
struct Linear {
    Tensor weight;  ///< (out, in)
    Tensor bias;    ///< (out), or undefined

    /// Draws the first values. With another start than `uniform_init` the bias is zero.
    /// @throws Error when a size is negative
    Linear(Index in, Index out, Generator& random, LinearOptions options = {});

    /// (..., in) to (..., out), and an activation function in the same pass
    Tensor operator()(const Tensor& x, Activation f = nullptr) const;

    /// Names its parts.
    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
};

}  // namespace RECTO::nn
