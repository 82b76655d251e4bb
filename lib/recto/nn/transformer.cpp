#include <recto/nn/transformer.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>

namespace RECTO::nn {

FeedForwardBlock::FeedForwardBlock(Index width, Index hidden, Generator& random, Device device)
    : norm({width}, {.device = device}),
      widen(width, hidden, random, {.device = device}),
      narrow(hidden, width, random, {.device = device}) {}

Tensor FeedForwardBlock::branch(const Tensor& x) const { return narrow(widen(x, gelu)); }

Tensor FeedForwardBlock::operator()(const Tensor& x) const { return x + branch(norm(x)); }

SelfAttentionBlock::SelfAttentionBlock(Index width, Index heads, Generator& random, Device device)
    : norm({width}, {.device = device}), attention(width, heads, random, {.device = device}) {}

Tensor SelfAttentionBlock::operator()(const Tensor& x, const AttentionOptions& options) const {
    return x + attention(norm(x), options);
}

CrossAttentionBlock::CrossAttentionBlock(Index width, Index heads, Generator& random, Device device)
    : norm({width}, {.device = device}), attention(width, heads, random, {.device = device}) {}

Tensor CrossAttentionBlock::operator()(const Tensor& x, const Tensor& memory, const AttentionOptions& options) const {
    const Tensor asking = norm(x), asked = norm(memory);
    return x + attention(asking, asked, options);
}

}  // namespace RECTO::nn
