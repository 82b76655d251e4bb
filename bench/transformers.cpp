#include "bench.hpp"

#include <recto/autograd/tape.hpp>

#include <memory>

#include <recto/nn/attention.hpp>
#include <recto/nn/norm.hpp>
#include <recto/ops/binary.hpp>
#include <recto/ops/cross_entropy.hpp>
#include <recto/ops/index.hpp>
#include <recto/ops/linear.hpp>
#include <recto/ops/views.hpp>
#include <recto/optim/adam.hpp>

#include "training.hpp"

namespace RECTO::bench {
namespace {

/// How large a model is.
struct Size {
    Index tokens, layers, width, heads, time;

    /// Floating-point operations of the products for so many tokens that each see `seen` others.
    double forward(double count, double seen) const {
        const auto d = double(width), l = double(layers);
        return 2 * count * (12 * l * d * d + d * double(tokens) + 2 * l * seen * d);
    }
};

/// Attention, then two fully connected layers, each with a way round and a normalisation before.
struct Block {
    nn::LayerNorm before_attention, before_perceptron;
    nn::MultiHeadAttention attention;
    nn::Linear widen, narrow;

    Block(const Size& size, Generator& random, Device device)
        : before_attention({size.width}, {.device = device}),
          before_perceptron({size.width}, {.device = device}),
          attention(size.width, size.heads, random, {.device = device}),
          widen(size.width, 4 * size.width, random, {.device = device}),
          narrow(4 * size.width, size.width, random, {.device = device}) {}

    Tensor operator()(Tensor x) const {
        x = x + attention(before_attention(x), {.causal = true});
        return x + narrow(widen(before_perceptron(x), Activation::gelu));
    }
    /// One more word.
    Tensor operator()(Tensor x, nn::KeyValueCache& cache) const {
        x = x + attention(before_attention(x), cache);
        return x + narrow(widen(before_perceptron(x), Activation::gelu));
    }
    void visit(auto&& part) {
        part("before_attention", before_attention), part("attention", attention);
        part("before_perceptron", before_perceptron), part("widen", widen), part("narrow", narrow);
    }
};

/// GPT: embeddings, blocks, and scores for the next token by the embedding's own weights.
struct Gpt {
    nn::Embedding words, places;
    std::vector<Block> blocks;
    nn::LayerNorm last;

    Gpt(const Size& size, Generator& random, Device device)
        : words(size.tokens, size.width, random, {.deviation = 0.02, .device = device}),
          places(size.time, size.width, random, {.deviation = 0.02, .device = device}),
          last({size.width}, {.device = device}) {
        for (Index i = 0; i < size.layers; ++i) blocks.emplace_back(size, random, device);
    }
    Tensor operator()(const Integers& tokens) const {
        Tensor x = words(tokens) + slice(places.weight, 0, 0, tokens.dim(1));
        for (const Block& block : blocks) x = block(x);
        return linear(last(x), words.weight);
    }
    /// One more word after `at` others.
    Tensor operator()(const Integers& token, Index at, std::vector<nn::KeyValueCache>& caches) const {
        Tensor x = words(token) + slice(places.weight, 0, at, at + 1);
        for (std::size_t i = 0; i < blocks.size(); ++i) x = blocks[i](x, caches[i]);
        return linear(last(x), words.weight);
    }
    void visit(auto&& part) {
        part("words", words), part("places", places), part("blocks", blocks), part("last", last);
    }
};

/// Training with AdamW on random tokens.
Ready training(const Setting& setting, const Size& size, Index batch) {
    struct State {
        Generator random{1};
        Gpt model;
        optim::AdamW optimiser;
        Integers x, labels;

        State(Device device, const Size& size, Index batch)
            : model(size, random, device),
              optimiser(nn::parameters(model), {.rate = 1e-3}),
              x(random.integers({8 * batch, size.time}, 0, size.tokens, device)),
              labels(random.integers({8 * batch, size.time}, 0, size.tokens, device)) {}
    };
    const auto count = double(batch * size.time);
    const auto loss = [batch, size](State& s, const Integers& x, const Integers& labels) {
        return cross_entropy(reshape(s.model(x), {batch * size.time, size.tokens}),
                             labels.reshape({batch * size.time}));
    };
    return {train(setting, std::make_shared<State>(setting.device, size, batch), batch, loss), count,
            3 * size.forward(count, double(size.time)), setting.captured};
}

/// One more token after 64 others, with the cache.
Ready decoding(Device device, const Size& size) {
    struct State {
        Generator random{1};
        Gpt model;
        std::vector<nn::KeyValueCache> caches;

        State(Device device, const Size& size) : model(size, random, device) {
            const NoGrad off;
            for (const Block& block : model.blocks) caches.push_back(block.attention.cache(1, 65));
            for (Index at = 0; at < 64; ++at) (void)model(random.integers({1, 1}, 0, size.tokens, device), at, caches);
        }
    };
    const auto state = std::make_shared<State>(device, size);
    return {[state, size, device] {
                const NoGrad off;
                for (nn::KeyValueCache& cache : state->caches) cache.length = 64;
                (void)state->model(state->random.integers({1, 1}, 0, size.tokens, device), 64, state->caches);
            },
            1, size.forward(1, 1)};
}

}  // namespace

std::vector<Workload> transformers() {
    const auto size = [](const Setting& s, const Size& whole) { return s.small ? Size{65, 2, 16, 2, 80} : whole; };
    const auto batch = [](const Setting& s, Index whole) { return s.small ? 1 : whole; };
    const Size small{65, 4, 128, 4, 64}, medium{65, 6, 384, 6, 256}, gpt2{50257, 12, 768, 12, 1024};
    return {{"chargpt_4L_d128_h4_T64_b32", "token",
             [=](const Setting& s) { return training(s, size(s, small), batch(s, 32)); }},
            {"chargpt_6L_d384_h6_T256_b8", "token",
             [=](const Setting& s) { return training(s, size(s, medium), batch(s, 8)); }},
            {"gpt2_124M_decode_kv64", "token", [=](const Setting& s) { return decoding(s.device, size(s, gpt2)); }}};
}

}  // namespace RECTO::bench
