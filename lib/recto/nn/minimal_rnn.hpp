#pragma once
/// @file
/// MinimalRNN, a recurrent layer with a single gate.
#include <recto/nn/linear.hpp>
#include <recto/ops/sequences/recurrent.hpp>

namespace RECTO::nn {

/// Options of MinimalRnn.
struct MinimalRnnOptions {
    double keep = 0;              ///< initial bias of the gate: the larger, the more of the state is kept
    Device device = Device::cpu;  ///< device of its parameters
};

/// A recurrent layer with one gate (Chen, 2017). The input is encoded without a look at the state, and the gate decides
/// how much of each number of the state is kept:
///
/// \f[ z_t = \tanh(W x_t + b), \quad \alpha_t = \sigma(U h_{t-1} + V z_t + d), \quad
///     h_t = \alpha_t h_{t-1} + (1 - \alpha_t) z_t \f]
struct MinimalRnn {
    Linear encode;      ///< (in) to (hidden): W and b
    Linear gate_input;  ///< (hidden) to (hidden): V and d
    Tensor gate_state;  ///< (hidden, hidden): U

    /// Initialises the weights, uniformly from \f$ \pm 1/\sqrt{\mathrm{inputs}} \f$ of each product.
    /// @throws Error when a size is negative
    MinimalRnn(Index in, Index hidden, Generator& random, MinimalRnnOptions options = {});

    /// The states of a sequence (batch, time, in), from the state `h`, or zeros if undefined.
    /// @throws Error when the shapes do not fit
    Recurrent operator()(const Tensor& x, const Tensor& h = Tensor()) const;

    /// Names its parts.
    void visit(auto&& part) { part("encode", encode), part("gate_input", gate_input), part("gate_state", gate_state); }
};

}  // namespace RECTO::nn
