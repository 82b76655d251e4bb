#pragma once
/// @file
/// The fully connected layer.
#include <recto/nn/init.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/products/linear.hpp>

namespace RECTO::nn {

/// Options of Linear.
struct LinearOptions {
    bool bias = true;             ///< whether the layer has a bias
    Init weights = uniform_init;  ///< initialisation of the weights
    Device device = Device::cpu;  ///< device of its parameters
};

/// y = x W^T + b as a module, see linear().
struct Linear {
    Tensor weight;  ///< (out, in)
    Tensor bias;    ///< (out), or undefined

    /// Initialises the weights. With an initialisation other than `uniform_init` the bias is zero.
    /// @throws Error when a size is negative
    Linear(Index in, Index out, Generator& random, LinearOptions options = {});

    /// (..., in) to (..., out), with an activation function in the same pass
    Tensor operator()(const Tensor& x, Activation f = nullptr) const;

    /// Names its parts.
    void visit(auto&& part) { part("weight", weight), part("bias", bias); }
};

}  // namespace RECTO::nn
