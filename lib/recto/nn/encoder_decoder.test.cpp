#include <recto/nn/encoder_decoder.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/testing/gradcheck.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

const nn::EncoderDecoderSize tiny{.source_tokens = 7,
                                  .target_tokens = 5,
                                  .source_time = 6,
                                  .target_time = 4,
                                  .layers = 2,
                                  .width = 8,
                                  .hidden = 12,
                                  .heads = 2};

}  // namespace

TEST_CASE("EncoderDecoder: blocks in their order, on every device",
          "[nn][encoder_decoder][devices][row:sys-transformer/e]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    const nn::EncoderDecoder net(tiny, random, device);
    nn::EncoderDecoder host = net;
    nn::to(host, Device::cpu);
    const Integers source = random.integers({2, 5}, 0, 7), before = random.integers({2, 4}, 0, 5);
    const Tensor scores = net(source.to(device), before.to(device));
    CHECK(scores.shape() == Shape{2, 4, 5});
    Tensor z = host.source_words(source) + slice(host.source_places.weight, 0, 0, 5);
    for (const nn::EncoderBlock& block : host.encoder) z = block.think(block.mix(z));
    Tensor y = host.target_words(before) + host.target_places.weight;
    for (const nn::DecoderBlock& block : host.decoder) y = block.think(block.read(block.mix(y, {.causal = true}), z));
    CHECK(close(scores, doubles(linear(host.last(y), host.target_words.weight)), 50 * usual));
    sum(scores).backward();
    for (const NamedTensor& p : nn::parameters(net)) CHECK(p.tensor.grad().defined());
}

TEST_CASE("EncoderDecoder: padding of the source changes nothing", "[nn][encoder_decoder]") {
    Generator random(2);
    const nn::EncoderDecoder net(tiny, random);
    const Integers source = random.integers({1, 4}, 0, 7), before = random.integers({1, 3}, 0, 5);
    std::vector<Index> padded = source.values();
    padded.insert(padded.end(), {6, 2});
    const Integers length({1}, {4});
    CHECK(close(net(Integers({1, 6}, padded), before, length), doubles(net(source, before)), 50 * usual));
}

TEST_CASE("EncoderDecoder: counts its parameters, and says what does not fit", "[nn][encoder_decoder]") {
    Generator random(3);
    const nn::EncoderDecoder net(tiny, random);
    const Index D = 8, F = 12, attend = 4 * D * D + 4 * D + 2 * D, think = 2 * D * F + F + D + 2 * D;
    CHECK(nn::count(net) == (7 + 6 + 5 + 4) * D + 2 * (attend + think) + 2 * (2 * attend + think) + 2 * D);
    CHECK_THROWS_WITH(net.encode(random.integers({1, 7}, 0, 7)),
                      "LearnedPositions: wanted positions from 0 to below 6, got 7 from 0");
    CHECK_THROWS_WITH(net.encode(Integers({3}, {1, 2, 3})),
                      "EncoderDecoder: wanted a source of shape (batch, time), got shape (3)");
    CHECK_THROWS_WITH(net.decode(Integers({3}, {1, 2, 3}), zeros({1, 2, 8})),
                      "EncoderDecoder: wanted a target of shape (batch, time), got shape (3)");
    nn::EncoderDecoderSize none = tiny;
    none.layers = -1;
    CHECK_THROWS_WITH(nn::EncoderDecoder(none, random), "EncoderDecoder: wanted layers >= 0, got -1");
}

TEST_CASE("EncoderDecoder: learns to turn a sequence around", "[nn][encoder_decoder]") {
    Generator random(4);
    const nn::EncoderDecoder net(tiny, random);
    optim::Adam adam(nn::parameters(net), {.lr = 0.01});
    double loss = 0;
    for (int step = 0; step < 1000; ++step) {
        std::vector<Index> source, before, target;
        for (int sample = 0; sample < 16; ++sample) {
            std::vector<Index> one;
            for (int t = 0; t < 3; ++t) one.push_back(random.next_integer(1, 5));
            source.insert(source.end(), one.begin(), one.end());
            target.insert(target.end(), one.rbegin(), one.rend());
            before.insert(before.end(), {0, one[2], one[1]});
        }
        loss = double(optim::train_step(adam, [&] {
                          const Tensor scores = net(Integers({16, 3}, source), Integers({16, 3}, before));
                          return cross_entropy(reshape(scores, {48, 5}), Integers({48}, target));
                      }).item());
    }
    CHECK(loss < 0.1);
}

GRADIENT_TEST("encoder and decoder blocks") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(4);
            return nn::EncoderBlock(4, 6, 2, random, x[0].device())(x[0]);
        },
        [](Generator& random) {
            return Inputs{random.normal({1, 3, 4})};
        },
        4);
    check_gradient(
        [](const Inputs& x) {
            Generator random(4);
            return nn::DecoderBlock(4, 6, 2, random, x[0].device())(x[0], x[1]);
        },
        [](Generator& random) {
            const Tensor x = random.normal({1, 3, 4});
            return Inputs{x, random.normal({1, 2, 4})};
        },
        4);
}
