#pragma once
/// @file
/// Multi-head attention, and the key-value cache for generating one token at a time.
#include <recto/nn/linear.hpp>
#include <recto/ops/sequences/attention.hpp>

namespace RECTO::nn {

/// Keys and values of the previous tokens, so that only the next token is computed. Copies are deep, so that two
/// continuations of the same beginning do not overwrite each other.
struct KeyValueCache {
    Tensor keys;       ///< (batch, capacity, width): only the first `length` are used
    Tensor values;     ///< values of the same shape
    Index length = 0;  ///< number of tokens; set it to 0 to start again

    KeyValueCache() = default;  ///< An undefined cache.
    /// An empty cache that uses these tensors as its memory.
    KeyValueCache(Tensor keys, Tensor values) : keys(std::move(keys)), values(std::move(values)) {}
    KeyValueCache(KeyValueCache&&) = default;             ///< Takes over the storage.
    KeyValueCache& operator=(KeyValueCache&&) = default;  ///< Takes over the storage.
    KeyValueCache(const KeyValueCache& other)
        : keys(own(other.keys)), values(own(other.values)), length(other.length) {}  ///< Copies the numbers.
    KeyValueCache& operator=(const KeyValueCache& other) {
        return *this = KeyValueCache(other);
    }  ///< Copies the numbers.

private:
    static Tensor own(const Tensor& x) { return x.defined() ? clone(x.detach()) : x; }
};

/// Multi-head attention (Vaswani et al., 2017, section 3.2.2): every head attends to its own projection of the input,
/// and an output projection combines the heads. Names and order of the parameters are PyTorch's.
struct MultiHeadAttention {
    Index heads;            ///< number of heads
    Tensor in_proj_weight;  ///< (3 width, width): rows for queries, then keys, then values
    Tensor in_proj_bias;    ///< (3 width), or undefined
    Linear out_proj;        ///< width to width

    /// Initialises the weights; biases are 0. @throws Error unless heads is at least 1 and divides width
    MultiHeadAttention(Index width, Index heads, Generator& random, LinearOptions options = {});

    /// Self-attention: (batch, time, width) to the same shape.
    Tensor operator()(const Tensor& x, const AttentionOptions& options = {}) const;

    /// Cross-attention: queries from `x` (batch, time, width), keys and values from `memory` (batch, keys, width).
    Tensor operator()(const Tensor& x, const Tensor& memory, const AttentionOptions& options = {}) const;

    /// Causal self-attention of new tokens, which also see the tokens in the cache; appends the new tokens to the
    /// cache. The results equal those of one pass over all tokens. Not recorded on the tape. @throws Error when the
    /// cache is full
    Tensor operator()(const Tensor& x, KeyValueCache& cache) const;

    /// An empty cache for `capacity` tokens.
    KeyValueCache cache(Index batch, Index capacity) const;

    /// Names its parts.
    void visit(auto&& part) {
        part("in_proj_weight", in_proj_weight), part("in_proj_bias", in_proj_bias), part("out_proj", out_proj);
    }
};

}  // namespace RECTO::nn
