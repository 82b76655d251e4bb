#pragma once
/// @file
/// Recurrent layers, which read a sequence and carry a state.
#include <recto/core/random.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/sequences/recurrent.hpp>

namespace RECTO::nn {

/// Options of recurrent layers.
struct RecurrentOptions {
    bool bias = true;             ///< whether the layer has biases
    Device device = Device::cpu;  ///< device of its parameters
};

/// rnn() as a module, with weights drawn uniformly from \f$ \pm 1/\sqrt{\mathrm{hidden}} \f$.
struct Rnn {
    RecurrentWeights weights;  ///< one gate

    /// @throws Error when a size is negative
    Rnn(Index in, Index hidden, Generator& random, RecurrentOptions options = {});
    /// (batch, time, in), or (batch, in) for one step, from the state `h`, or zeros if undefined.
    Recurrent operator()(const Tensor& x, const Tensor& h = Tensor()) const { return rnn(x, weights, h); }
    /// Names its parts.
    void visit(auto&& part) { weights.visit(part); }
};

/// lstm() as a module, with weights drawn uniformly from \f$ \pm 1/\sqrt{\mathrm{hidden}} \f$.
struct Lstm {
    RecurrentWeights weights;  ///< four gates: i, f, g, o

    /// @throws Error when a size is negative
    Lstm(Index in, Index hidden, Generator& random, RecurrentOptions options = {});
    /// (batch, time, in), or (batch, in) for one step, from the states `h` and `c`, or zeros if undefined.
    Recurrent operator()(const Tensor& x, const Tensor& h = Tensor(), const Tensor& c = Tensor()) const {
        return lstm(x, weights, h, c);
    }
    /// Names its parts.
    void visit(auto&& part) { weights.visit(part); }
};

/// gru() as a module, with weights drawn uniformly from \f$ \pm 1/\sqrt{\mathrm{hidden}} \f$.
struct Gru {
    RecurrentWeights weights;  ///< three gates: r, z, n

    /// @throws Error when a size is negative
    Gru(Index in, Index hidden, Generator& random, RecurrentOptions options = {});
    /// (batch, time, in), or (batch, in) for one step, from the state `h`, or zeros if undefined.
    Recurrent operator()(const Tensor& x, const Tensor& h = Tensor()) const { return gru(x, weights, h); }
    /// Names its parts.
    void visit(auto&& part) { weights.visit(part); }
};

}  // namespace RECTO::nn
