#pragma once
/// @file
/// The blocks of a Transformer (Vaswani et al., 2017): feed-forward, self-attention and cross-attention, each a residual
/// branch that begins with layer normalisation (Radford et al., 2019).
#include <recto/nn/attention.hpp>
#include <recto/nn/norm.hpp>

namespace RECTO::nn {

/// Two fully connected layers with a gelu() between them, for each position by itself.
struct FeedForwardBlock {
    LayerNorm norm;  ///< normalises the input of the branch
    Linear widen;    ///< (width) to (hidden), then gelu
    Linear narrow;   ///< (hidden) to (width)

    /// Initialises the weights. @throws Error when a size is negative
    FeedForwardBlock(Index width, Index hidden, Generator& random, Device device = Device::cpu);

    Tensor branch(const Tensor& x) const;      ///< What the layers compute: (..., width) to the same shape.
    Tensor operator()(const Tensor& x) const;  ///< `x + branch(norm(x))`: (..., width) to the same shape.

    /// Names its parts.
    void visit(auto&& part) { part("norm", norm), part("widen", widen), part("narrow", narrow); }
};

/// Self-attention: every position reads every position, or only earlier ones with `causal`.
struct SelfAttentionBlock {
    LayerNorm norm;                ///< normalises the input of the branch
    MultiHeadAttention attention;  ///< queries, keys and values from the same sequence

    /// Initialises the weights. @throws Error as MultiHeadAttention
    SelfAttentionBlock(Index width, Index heads, Generator& random, Device device = Device::cpu);

    /// `x + attention(norm(x))`: (batch, time, width) to the same shape.
    Tensor operator()(const Tensor& x, const AttentionOptions& options = {}) const;

    /// Names its parts.
    void visit(auto&& part) { part("norm", norm), part("attention", attention); }
};

/// Cross-attention: every position of one sequence reads every position of another sequence, the memory.
struct CrossAttentionBlock {
    LayerNorm norm;                ///< normalises both sequences
    MultiHeadAttention attention;  ///< queries from the first sequence, keys and values from the memory

    /// Initialises the weights. @throws Error as MultiHeadAttention
    CrossAttentionBlock(Index width, Index heads, Generator& random, Device device = Device::cpu);

    /// `x + attention(norm(x), norm(memory))`: (batch, time, width), for a memory of (batch, any length, width), to the
    /// shape of `x`. @throws Error when shapes do not fit
    Tensor operator()(const Tensor& x, const Tensor& memory, const AttentionOptions& options = {}) const;

    /// Names its parts.
    void visit(auto&& part) { part("norm", norm), part("attention", attention); }
};

}  // namespace RECTO::nn
