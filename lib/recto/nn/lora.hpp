#pragma once
/// @file
/// Low-rank adaptation (LoRA): a frozen linear layer with a trained correction of low rank.
#include <recto/nn/linear.hpp>

namespace RECTO::nn {

/// A linear layer whose weights are frozen, plus a trained product of two thin matrices (Hu et al., 2022):
///
/// \f[ y = x (W + B A)^\top + b \f]
///
/// B is zero at the start, so that the new layer computes what the old one computed.
struct Lora {
    Tensor weight;  ///< W: (out, in), frozen; shares its numbers with the base layer
    Tensor bias;    ///< b: (out), frozen, or undefined
    Tensor a;       ///< A: (rank, in), trained; starts as a normal distribution with variance 1/in
    Tensor b;       ///< B: (out, rank), trained; starts at zero

    /// Freezes a layer and adds a correction. The base layer stays as it is and can be shared by several corrections.
    /// @param rank  R; at most the smaller of both sizes of the base layer, the largest rank that a correction can have
    /// @throws Error when the rank is out of range
    Lora(const Linear& base, Index rank, Generator& random);

    /// (..., in) to (..., out), with an activation function after the correction
    Tensor operator()(const Tensor& x, Activation f = nullptr) const;

    Tensor correction() const;  ///< B A: (out, in), without a tape.
    /// A plain layer with the weight W + B A and its own copy of the bias: as fast as the base layer.
    Linear merged() const;

    /// Names its parts.
    void visit(auto&& part) { part("weight", weight), part("bias", bias), part("a", a), part("b", b); }
};

}  // namespace RECTO::nn
