#include <recto/nn/encoder_decoder.hpp>

#include <recto/ops/products/linear.hpp>

namespace RECTO::nn {

EncoderBlock::EncoderBlock(Index width, Index hidden, Index heads, Generator& random, Device device)
    : mix(width, heads, random, device), think(width, hidden, random, device) {}

Tensor EncoderBlock::operator()(const Tensor& x, const Integers& lengths) const {
    return think(mix(x, {.lengths = lengths}));
}

DecoderBlock::DecoderBlock(Index width, Index hidden, Index heads, Generator& random, Device device)
    : mix(width, heads, random, device), read(width, heads, random, device), think(width, hidden, random, device) {}

Tensor DecoderBlock::operator()(const Tensor& x, const Tensor& memory, const Integers& lengths) const {
    return think(read(mix(x, {.causal = true}), memory, {.lengths = lengths}));
}

EncoderDecoder::EncoderDecoder(const EncoderDecoderSize& size, Generator& random, Device device)
    : source_words(size.source_tokens, size.width, random, {.deviation = 0.02, .device = device}),
      source_places(size.source_time, size.width, random, Real(0.02), device),
      target_words(size.target_tokens, size.width, random, {.deviation = 0.02, .device = device}),
      target_places(size.target_time, size.width, random, Real(0.02), device),
      last({size.width}, {.device = device}) {
    check(size.layers >= 0, "EncoderDecoder: wanted layers >= 0, got {}", size.layers);
    for (Index i = 0; i < size.layers; ++i) encoder.emplace_back(size.width, size.hidden, size.heads, random, device);
    for (Index i = 0; i < size.layers; ++i) decoder.emplace_back(size.width, size.hidden, size.heads, random, device);
}

Tensor EncoderDecoder::encode(const Integers& source, const Integers& lengths) const {
    check(source.dim() == 2, "EncoderDecoder: wanted a source of shape (batch, time), got shape {}", source.shape());
    Tensor x = source_places(source_words(source));
    for (const EncoderBlock& block : encoder) x = block(x, lengths);
    return x;
}

Tensor EncoderDecoder::decode(const Integers& before, const Tensor& memory, const Integers& lengths) const {
    check(before.dim() == 2, "EncoderDecoder: wanted a target of shape (batch, time), got shape {}", before.shape());
    Tensor y = target_places(target_words(before));
    for (const DecoderBlock& block : decoder) y = block(y, memory, lengths);
    return linear(last(y), target_words.weight);
}

}  // namespace RECTO::nn
