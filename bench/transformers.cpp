#include "bench.hpp"

#include <recto/autograd/tape.hpp>

#include <memory>

#include <recto/base/block_formats.hpp>
#include <recto/nn/decoder.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>

#include "training.hpp"

namespace RECTO::bench {
namespace {

/// Floating-point operations of the products for a number of tokens that each attend to `seen` others.
double forward(const nn::GptSize& size, double count, double seen) {
    const auto d = double(size.width), l = double(size.layers);
    return 2 * count * (12 * l * d * d + d * double(size.tokens) + 2 * l * seen * d);
}

/// Training with AdamW on random tokens.
Ready training(const Setting& setting, const nn::GptSize& size, Index batch) {
    struct State {
        Generator random{1};
        nn::Gpt model;
        optim::AdamW optimiser;
        Integers x, labels;

        State(Device device, const nn::GptSize& size, Index batch)
            : model(size, random, device),
              optimiser(nn::parameters(model), {.lr = 1e-3}),
              x(random.integers({8 * batch, size.time}, 0, size.tokens, device)),
              labels(random.integers({8 * batch, size.time}, 0, size.tokens, device)) {}
    };
    const auto count = double(batch * size.time);
    const auto loss = [batch, size](State& s, const Integers& x, const Integers& labels) {
        return cross_entropy(reshape(s.model(x), {batch * size.time, size.tokens}),
                             labels.reshape({batch * size.time}));
    };
    return {train(setting, std::make_shared<State>(setting.device, size, batch), batch, loss), count,
            3 * forward(size, count, double(size.time)), setting.captured};
}

/// Generates one more token after 64 others, with the cache.
Ready decoding(Device device, const nn::GptSize& size) {
    struct State {
        Generator random{1};
        nn::Gpt model;
        std::vector<nn::KeyValueCache> caches;

        State(Device device, const nn::GptSize& size) : model(size, random, device) {
            const NoGrad off;
            caches = model.caches(1, 65);
            for (int at = 0; at < 64; ++at) (void)model(random.integers({1, 1}, 0, size.tokens, device), caches);
        }
    };
    const auto state = std::make_shared<State>(device, size);
    return {[state, size, device] {
                const NoGrad off;
                for (nn::KeyValueCache& cache : state->caches) cache.length = 64;
                const auto token = [&] {
                    const ProfilePhase phase("data");
                    return state->random.integers({1, 1}, 0, size.tokens, device);
                };
                (void)state->model(token(), state->caches);
            },
            1, forward(size, 1, 1)};
}

/// The same with the matrices in blocks of few bits.
Ready decoding_blocks(const nn::GptSize& size, const BlockFormat& format) {
    struct State {
        Generator random{1};
        nn::Decoder model;
        std::vector<nn::KeyValueCache> caches;

        State(const nn::GptSize& size, const BlockFormat& format)
            : model(nn::decoder_of(nn::Gpt(size, random), &format)), caches(model.caches(65)) {
            for (int at = 0; at < 64; ++at) (void)model(random.integers({1}, 0, size.tokens), caches);
        }
    };
    const auto state = std::make_shared<State>(size, format);
    return {[state, size] {
                for (nn::KeyValueCache& cache : state->caches) cache.length = 64;
                (void)state->model(state->random.integers({1}, 0, size.tokens), state->caches);
            },
            1, forward(size, 1, 1)};
}

}  // namespace

std::vector<Workload> transformers() {
    const auto size = [](const Setting& s, const nn::GptSize& whole) {
        return s.small ? nn::GptSize{65, 80, 2, 32, 2} : whole;
    };
    const auto batch = [](const Setting& s, Index whole) { return s.small ? 1 : whole; };
    const nn::GptSize small{65, 64, 4, 128, 4}, medium{65, 256, 6, 384, 6}, gpt2{50257, 1024, 12, 768, 12};
    return {{"chargpt_4L_d128_h4_T64_b32", "token",
             [=](const Setting& s) { return training(s, size(s, small), batch(s, 32)); }},
            {"chargpt_6L_d384_h6_T256_b8", "token",
             [=](const Setting& s) { return training(s, size(s, medium), batch(s, 8)); }},
            {"gpt2_124M_decode_kv64", "token", [=](const Setting& s) { return decoding(s.device, size(s, gpt2)); }},
            {"gpt2_124M_decode_q8_0_kv64", "token",
             [=](const Setting& s) { return decoding_blocks(size(s, gpt2), q8_0); }, "blocks are read on the CPU"},
            {"gpt2_124M_decode_q4_0_kv64", "token",
             [=](const Setting& s) { return decoding_blocks(size(s, gpt2), q4_0); }, "blocks are read on the CPU"}};
}

}  // namespace RECTO::bench
