#include <recto/nn/bert.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {

BertBlock::BertBlock(const BertSize& size, Generator& random, Device device)
    : attention(size.width, size.heads, random, {.device = device}),
      after_attention({size.width}, {.device = device}),
      widen(size.width, size.hidden, random, {.device = device}),
      narrow(size.hidden, size.width, random, {.device = device}),
      after_perceptron({size.width}, {.device = device}) {}

Tensor BertBlock::operator()(const Tensor& x, const AttentionOptions& attending) const {
    const Tensor seen = after_attention(x + attention(x, attending));
    return after_perceptron(seen + narrow(widen(seen, gelu)));
}

Bert::Bert(const BertSize& size, Generator& random, Device device)
    : words(size.tokens, size.width, random, {.deviation = size.deviation, .device = device}),
      places(size.time, size.width, random, {.deviation = size.deviation, .device = device}),
      segments(size.segments, size.width, random, {.deviation = size.deviation, .device = device}),
      embedded({size.width}, {.device = device}),
      pooler(size.width, size.width, random, {.device = device}) {
    check(size.layers >= 0, "Bert: wanted layers >= 0, got {}", size.layers);
    for (Index i = 0; i < size.layers; ++i) blocks.emplace_back(size, random, device);
}

Tensor Bert::embed(const Integers& tokens, const Integers& segment) const {
    check(tokens.dim() == 2, "Bert: wanted tokens of shape (batch, time), got shape {}", tokens.shape());
    const Index most = places.weight.size(0);
    check(tokens.size(1) <= most, "Bert: wanted at most {} tokens, got {}", most, tokens.size(1));
    check(!segment.defined() || segment.shape() == tokens.shape(),
          "Bert: wanted a segment for each token of shape {}, got shape {}", tokens.shape(), segment.shape());
    const Tensor placed = words(tokens) + slice(places.weight, 0, 0, tokens.size(1));
    return embedded(placed + (segment.defined() ? segments(segment) : slice(segments.weight, 0, 0, 1)));
}

Tensor Bert::operator()(const Integers& tokens, const AttentionOptions& attending, const Integers& segment) const {
    Tensor x = embed(tokens, segment);
    for (const BertBlock& block : blocks) x = block(x, attending);
    return x;
}

Tensor Bert::pooled(const Tensor& outputs) const { return tanh(pooler(select(outputs, 1, 0))); }

MaskedTokenHead::MaskedTokenHead(const BertSize& size, Generator& random, Device device)
    : dense(size.width, size.width, random, {.device = device}),
      norm({size.width}, {.device = device}),
      bias(zeros({size.tokens}, device).requires_grad_()) {}

Tensor MaskedTokenHead::operator()(const Tensor& outputs, const Tensor& words) const {
    return linear(norm(dense(outputs, gelu)), words, bias);
}

MaskedTokens mask_tokens(const Integers& tokens, Index mask, const MaskingOptions& options, Generator& random) {
    const auto probability = [](double p) { return p >= 0 && p <= 1; };
    check(probability(options.chosen) && probability(options.hidden) && probability(options.replaced) &&
              options.hidden + options.replaced <= 1 + 1e-12,
          "mask_tokens: wanted probabilities from 0 to 1, and so their sum for a chosen token, got {} chosen, {} "
          "hidden, {} replaced",
          options.chosen, options.hidden, options.replaced);
    check(options.first_word <= options.last_word, "mask_tokens: wanted a range of words, got {} to {}",
          options.first_word, options.last_word);
    std::vector<Index> read = tokens.values(), wanted(read.size(), -1);
    for (std::size_t i = 0; i < read.size(); ++i) {
        if (read[i] < options.first_word || read[i] > options.last_word || random.next_uniform() >= options.chosen)
            continue;
        wanted[i] = read[i];
        const double fate = random.next_uniform();
        if (fate < options.hidden)
            read[i] = mask;
        else if (fate < options.hidden + options.replaced)
            read[i] = random.next_integer(options.first_word, options.last_word + 1);
    }
    return {Integers(tokens.shape(), read, tokens.device()), Integers(tokens.shape(), wanted, tokens.device())};
}

}  // namespace RECTO::nn
