#pragma once
/// @file
/// Embedding: a layer that maps integers to vectors.
#include <recto/core/integers.hpp>
#include <recto/core/random.hpp>
#include <recto/nn/module.hpp>

namespace RECTO::nn {

/// Options of Embedding.
struct EmbeddingOptions {
    double deviation = 1;         ///< standard deviation of the initial weights
    Device device = Device::cpu;  ///< device of its parameters
};

/// A trained vector for every token, see index_rows(). Equals a Linear layer without bias on one_hot() tokens, without
/// the matrix product. A token's gradient is the sum over its uses, in their order.
struct Embedding {
    Tensor weight;  ///< (tokens, width)

    /// Initialises the vectors. @throws Error when a size is negative
    Embedding(Index tokens, Index width, Generator& random, EmbeddingOptions options = {});

    Tensor operator()(const Integers& tokens) const;  ///< From any shape to this shape with one more axis of `width`.

    /// Names its parts.
    void visit(auto&& part) { part("weight", weight); }
};

}  // namespace RECTO::nn
