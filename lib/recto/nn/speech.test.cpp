#include <recto/nn/speech.hpp>

#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/layout.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

const nn::SpeechTransformerSize tiny{
    .bands = 3, .frames = 8, .tokens = 5, .time = 4, .layers = 2, .width = 8, .hidden = 12, .heads = 2};

}  // namespace

TEST_CASE("SpeechTransformer: parts in their order, on every device",
          "[nn][speech][devices][row:sys-speech-recognition/d]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    const nn::SpeechTransformer net(tiny, random, device);
    nn::SpeechTransformer host = net;
    nn::to(host, Device::cpu);
    const Tensor sound = random.normal({2, 7, 3});
    const Integers before = random.integers({2, 4}, 0, 5);
    const Tensor scores = net.decode(before.to(device), net.encode(sound.to(device)));
    CHECK(scores.shape() == Shape{2, 4, 5});
    Tensor z = time_first(gelu(host.halve(gelu(host.hear(time_last(sound))))));
    CHECK(z.shape() == Shape{2, 4, 8});
    z = z + host.places.table;
    for (const nn::EncoderBlock& block : host.encoder) z = block(z);
    Tensor y = host.words(before) + host.word_places.weight;
    for (const nn::DecoderBlock& block : host.decoder) y = block(y, z);
    CHECK(close(scores, doubles(linear(host.last(y), host.words.weight)), 50 * usual));
    sum(scores).backward();
    for (const NamedTensor& p : nn::parameters(net)) CHECK(p.tensor.grad().defined());
}

TEST_CASE("SpeechTransformer: a token depends on the whole sound and on earlier tokens", "[nn][speech]") {
    Generator random(2);
    const nn::SpeechTransformer net(tiny, random);
    const Tensor sound = random.normal({1, 8, 3});
    const Integers before({1, 3}, {1, 2, 3}), other({1, 3}, {1, 2, 4});
    const Tensor scores = net.decode(before, net.encode(sound));
    const Tensor changed = net.decode(other, net.encode(sound));
    CHECK(same_bits(slice(scores, 1, 0, 2), slice(changed, 1, 0, 2)));
    CHECK_FALSE(same_bits(scores, changed));
    for (Index frame = 0; frame < 8; ++frame) {
        Tensor louder = clone(sound);
        louder.write()[3 * frame] += 1;
        const Tensor heard = net.decode(before, net.encode(louder));
        for (Index s = 0; s < 3; ++s) CHECK_FALSE(same_bits(slice(scores, 1, s, s + 1), slice(heard, 1, s, s + 1)));
    }
}

TEST_CASE("SpeechTransformer: messages", "[nn][speech]") {
    Generator random(3);
    const nn::SpeechTransformer net(tiny, random);
    CHECK_THROWS_WITH(net.encode(zeros({8, 3})),
                      "SpeechTransformer: wanted spectrograms of shape (batch, frames, bands), got shape (8, 3)");
    CHECK_THROWS_WITH(net.encode(zeros({1, 9, 3})),
                      "SinusoidalPositions: wanted positions from 0 to below 4, got 5 from 0");
    CHECK_THROWS_WITH(net.decode(Integers({3}, {1, 2, 3}), zeros({1, 4, 8})),
                      "SpeechTransformer: wanted texts of shape (batch, time), got shape (3)");
    nn::SpeechTransformerSize none = tiny;
    none.layers = -1;
    CHECK_THROWS_WITH(nn::SpeechTransformer(none, random), "SpeechTransformer: wanted layers >= 0, got -1");
}

GRADIENT_TEST("speech transformer") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(4);
            const nn::SpeechTransformer net(
                {.bands = 2, .frames = 4, .tokens = 3, .time = 2, .layers = 1, .width = 4, .hidden = 4, .heads = 2},
                random, x[0].device());
            return net.decode(Integers({1, 2}, {0, 2}).to(x[0].device()), net.encode(x[0]));
        },
        [](Generator& random) {
            return Inputs{random.normal({1, 4, 2})};
        },
        4);
}
