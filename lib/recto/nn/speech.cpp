#include <recto/nn/speech.hpp>

#include <recto/base/check.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/shapes/layout.hpp>

namespace RECTO::nn {

SpeechTransformer::SpeechTransformer(const SpeechTransformerSize& size, Generator& random, Device device)
    : hear(size.bands, size.width, 3, random, {.padding = 1, .device = device}),
      halve(size.width, size.width, 3, random, {.stride = 2, .padding = 1, .device = device}),
      places((size.frames + 1) / 2, size.width, device),
      words(size.tokens, size.width, random, {.deviation = 0.02, .device = device}),
      word_places(size.time, size.width, random, Real(0.02), device),
      last({size.width}, {.device = device}) {
    check(size.layers >= 0, "SpeechTransformer: wanted layers >= 0, got {}", size.layers);
    for (Index i = 0; i < size.layers; ++i) encoder.emplace_back(size.width, size.hidden, size.heads, random, device);
    for (Index i = 0; i < size.layers; ++i) decoder.emplace_back(size.width, size.hidden, size.heads, random, device);
}

Tensor SpeechTransformer::encode(const Tensor& spectrogram) const {
    check(spectrogram.dim() == 3,
          "SpeechTransformer: wanted spectrograms of shape (batch, frames, bands), got shape {}", spectrogram.shape());
    const Tensor heard = gelu(hear(time_last(spectrogram)));
    Tensor x = places(time_first(gelu(halve(heard))));
    for (const EncoderBlock& block : encoder) x = block(x);
    return x;
}

Tensor SpeechTransformer::decode(const Integers& before, const Tensor& memory) const {
    check(before.dim() == 2, "SpeechTransformer: wanted texts of shape (batch, time), got shape {}", before.shape());
    Tensor y = word_places(words(before));
    for (const DecoderBlock& block : decoder) y = block(y, memory);
    return linear(last(y), words.weight);
}

}  // namespace RECTO::nn
