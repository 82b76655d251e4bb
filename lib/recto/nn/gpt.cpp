#include <recto/nn/gpt.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

/// The embedding of every token plus the embedding of its position.
Tensor read(const Gpt& model, const Integers& tokens, Index first) {
    const Index most = model.places.weight.size(0);
    check(tokens.dim() == 2, "Gpt: wanted tokens of shape (batch, time), got shape {}", tokens.shape());
    check(tokens.size(1) <= most - first, "Gpt: knows {} places, wanted {} after {}", most, tokens.size(1), first);
    return model.words(tokens) + slice(model.places.weight, 0, first, first + tokens.size(1));
}

}  // namespace

GptBlock::GptBlock(const GptSize& size, Generator& random, Device device)
    : before_attention({size.width}, {.device = device}),
      attention(size.width, size.heads, random, {.device = device}),
      before_perceptron({size.width}, {.device = device}),
      widen(size.width, checked_product(4, size.width, "Gpt"), random, {.device = device}),
      narrow(checked_product(4, size.width, "Gpt"), size.width, random, {.device = device}) {}

Tensor GptBlock::operator()(const Tensor& x, const AttentionOptions& attending) const {
    const Tensor seen = x + attention(before_attention(x), attending);
    return seen + narrow(widen(before_perceptron(seen), gelu));
}

Tensor GptBlock::operator()(const Tensor& x, KeyValueCache& cache) const {
    const Tensor seen = x + attention(before_attention(x), cache);
    return seen + narrow(widen(before_perceptron(seen), gelu));
}

Gpt::Gpt(const GptSize& size, Generator& random, Device device)
    : words(size.tokens, size.width, random, {.deviation = 0.02, .device = device}),
      places(size.time, size.width, random, {.deviation = 0.02, .device = device}),
      last({size.width}, {.device = device}) {
    check(size.layers >= 0, "Gpt: wanted layers >= 0, got {}", size.layers);
    for (Index i = 0; i < size.layers; ++i) blocks.emplace_back(size, random, device);
}

Tensor Gpt::operator()(const Integers& tokens, const AttentionOptions& attending) const {
    Tensor x = read(*this, tokens, 0);
    for (const GptBlock& block : blocks) x = block(x, attending);
    return linear(last(x), words.weight);
}

Tensor Gpt::operator()(const Integers& tokens, std::vector<KeyValueCache>& caches) const {
    const NoGrad guard;
    check(caches.size() == blocks.size(), "Gpt: wanted a cache for each of {} blocks, got {}", blocks.size(),
          caches.size());
    Tensor x = read(*this, tokens, caches.empty() ? 0 : caches[0].length);
    for (std::size_t i = 0; i < blocks.size(); ++i) x = blocks[i](x, caches[i]);
    return linear(last(x), words.weight);
}

std::vector<KeyValueCache> Gpt::caches(Index batch, Index capacity) const {
    std::vector<KeyValueCache> made;
    for (const GptBlock& block : blocks) made.push_back(block.attention.cache(batch, capacity));
    return made;
}

}  // namespace RECTO::nn
