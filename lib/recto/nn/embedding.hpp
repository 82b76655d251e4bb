#pragma once
/// @file
/// A layer that is fed with integers: a vector for every token.
#include <recto/core/integers.hpp>
#include <recto/core/random.hpp>
#include <recto/nn/module.hpp>

namespace RECTO::nn {

/// What an Embedding may be told.
struct EmbeddingOptions {
    double deviation = 1;         ///< of the normal numbers it starts with
    Device device = Device::cpu;  ///< where its numbers live
};

/// A vector for every token, see index_rows(): what a Linear layer without bias makes of one_hot() tokens, without the
/// product. A token's gradient is the sum over its uses, in their order.
struct Embedding {
    Tensor weight;  ///< (tokens, width)

    /// Draws the first values. @throws Error when a size is negative
    Embedding(Index tokens, Index width, Generator& random, EmbeddingOptions options = {});

    Tensor operator()(const Integers& tokens) const;  ///< Any shape, to that shape and one more axis of `width`.

    /// Names its parts.
    void visit(auto&& part) { part("weight", weight); }
};

}  // namespace RECTO::nn
