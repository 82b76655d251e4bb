#pragma once
/// @file
/// The weights of a multi-head attention layer, for figures and probes.
#include <recto/nn/attention.hpp>

namespace RECTO::nn {

/// The weight that every query gives to every key in every head. The layer itself never stores these numbers: here they
/// are the results of attention to values that are one-hot, so that masks, lengths and scale act as in the layer.
/// @param x        (batch, queries, width): what the queries are projected from
/// @param memory   (batch, keys, width): what the keys are projected from; `x` itself in self-attention
/// @param options  those of the call whose weights are wanted
/// @return         (batch, heads, queries, keys): rows sum to 1, or are 0 for a query that sees no key; a constant
/// @throws Error when shapes do not fit
Tensor attention_weights(const MultiHeadAttention& layer, const Tensor& x, const Tensor& memory,
                         const AttentionOptions& options = {});

}  // namespace RECTO::nn
