#pragma once
/// @file
/// Highway layers: a trained gate mixes the input of a layer with its result.
#include <recto/nn/linear.hpp>

namespace RECTO::nn {

/// Options of Highway.
struct HighwayOptions {
    double gate_bias = 3;          ///< initial bias of the gate: the larger, the nearer the layer is to the identity
    Activation activation = relu;  ///< activation function of the new values
    Init weights = uniform_init;   ///< initialisation of both weight matrices
    Device device = Device::cpu;   ///< device of the parameters
};

/// A highway layer (Srivastava, Greff and Schmidhuber, 2015). A gate between 0 and 1 decides for each unit how much of
/// the old value it carries on:
///
/// \f[ y = \alpha \odot x + (1 - \alpha) \odot f(W x + b), \quad \alpha = \sigma(U x + c) \f]
///
/// The bias c starts at `gate_bias`. At 3 the gate starts near 0.95, so that the layer is nearly the identity.
struct Highway {
    Linear change;          ///< (width) to (width): W and b
    Linear gate;            ///< (width) to (width): U and c
    Activation activation;  ///< f

    /// Initialises the weights. @throws Error when the width is negative
    Highway(Index width, Generator& random, HighwayOptions options = {});

    Tensor keeps(const Tensor& x) const;       ///< The gate: (..., width) to the same shape, between 0 and 1.
    Tensor operator()(const Tensor& x) const;  ///< (..., width) to the same shape

    /// Names its parts.
    void visit(auto&& part) { part("change", change), part("gate", gate); }
};

}  // namespace RECTO::nn
