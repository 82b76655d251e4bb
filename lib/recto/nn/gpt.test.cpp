#include <recto/nn/gpt.hpp>

#include <cmath>

#include <recto/autograd/tape.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/fit.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

const nn::GptSize tiny{.tokens = 5, .time = 7, .layers = 2, .width = 8, .heads = 2};

/// The model by hand: one head, one layer, without the scale and shift of normalisation, in double.
std::vector<double> normalised(std::vector<double> x) {
    double mean = 0, variance = 0;
    for (const double v : x) mean += v / double(x.size());
    for (const double v : x) variance += (v - mean) * (v - mean) / double(x.size());
    for (double& v : x) v = (v - mean) / std::sqrt(variance + 1e-5);
    return x;
}
std::vector<double> product(const Tensor& w, const Tensor& bias, const std::vector<double>& x) {
    std::vector<double> y;
    for (Index i = 0; i < w.size(0); ++i) {
        y.push_back(bias.defined() ? double(bias.at({i})) : 0);
        for (Index j = 0; j < w.size(1); ++j) y.back() += double(w.at({i, j})) * x[std::size_t(j)];
    }
    return y;
}

}  // namespace

TEST_CASE("Gpt: one layer and one head, number by number", "[nn][gpt][devices][row:sys-gpt/e]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    const nn::Gpt model({.tokens = 5, .time = 4, .layers = 1, .width = 6, .heads = 1}, random, device);
    const std::vector<Index> tokens{3, 0, 3, 4};
    nn::Gpt host = model;
    nn::to(host, Device::cpu);
    const nn::GptBlock& block = host.blocks[0];
    std::vector<std::vector<double>> x, projected;
    for (std::size_t t = 0; t < 4; ++t) {
        x.emplace_back();
        for (Index i = 0; i < 6; ++i)
            x[t].push_back(double(host.words.weight.at({tokens[t], i})) + double(host.places.weight.at({Index(t), i})));
        projected.push_back(product(block.attention.in_proj_weight, block.attention.in_proj_bias, normalised(x[t])));
    }
    std::vector<double> want;
    for (std::size_t t = 0; t < 4; ++t) {
        std::vector<double> weights, seen(6);
        double total = 0;
        for (std::size_t s = 0; s <= t; ++s) {
            double score = 0;
            for (std::size_t i = 0; i < 6; ++i) score += projected[t][i] * projected[s][6 + i] / std::sqrt(6.0);
            weights.push_back(std::exp(score)), total += weights.back();
        }
        for (std::size_t s = 0; s <= t; ++s)
            for (std::size_t i = 0; i < 6; ++i) seen[i] += weights[s] / total * projected[s][12 + i];
        seen = product(block.attention.out_proj.weight, block.attention.out_proj.bias, seen);
        for (std::size_t i = 0; i < 6; ++i) seen[i] += x[t][i];
        std::vector<double> wide = product(block.widen.weight, block.widen.bias, normalised(seen));
        for (double& v : wide) v *= (1 + std::erf(v / std::sqrt(2.0))) / 2;
        const std::vector<double> back = product(block.narrow.weight, block.narrow.bias, wide);
        for (std::size_t i = 0; i < 6; ++i) seen[i] += back[i];
        for (const double score : product(host.words.weight, Tensor(), normalised(seen))) want.push_back(score);
    }
    CHECK(close(model(Integers({1, 4}, tokens, device)), want, 10 * usual));
}

TEST_CASE("Gpt: what comes later changes nothing, to the bit", "[nn][gpt][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(2);
    const nn::Gpt model(tiny, random, device);
    const Integers some({2, 7}, {0, 1, 2, 3, 4, 0, 1, 4, 4, 3, 1, 0, 0, 2}, device),
        other({2, 7}, {0, 1, 2, 3, 1, 1, 0, 4, 4, 3, 1, 2, 2, 1}, device);
    const Tensor a = model(some), b = model(other);
    CHECK(same_bits(slice(a, 1, 0, 4), slice(b, 1, 0, 4)));
    CHECK_FALSE(same_bits(slice(a, 1, 4, 5), slice(b, 1, 4, 5)));
    const Tensor free = model(some, {}), freely = model(other, {});
    CHECK_FALSE(same_bits(slice(free, 1, 0, 1), slice(freely, 1, 0, 1)));
}

TEST_CASE("Gpt: token by token with caches, the same numbers", "[nn][gpt][devices][row:sys-kv-cache/c]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(3);
    const nn::Gpt model(tiny, random, device);
    const Integers tokens = random.integers({3, 7}, 0, 5, device);
    const Tensor whole = model(tokens);
    std::vector<nn::KeyValueCache> caches = model.caches(3, 9);
    const std::vector<Index> all = tokens.values();
    for (Index t = 0; t < 7; ++t) {
        const Integers next({3, 1}, {all[std::size_t(t)], all[std::size_t(7 + t)], all[std::size_t(14 + t)]}, device);
        const Tensor y = model(next, caches);
        CHECK_FALSE(y.requires_grad());
        CHECK(close(y, doubles(slice(whole, 1, t, t + 1)), 10 * usual));
    }
    CHECK_THROWS_WITH(model(Integers({3, 1}, {0, 0, 0}, device), caches), "Gpt: knows 7 places, wanted 1 after 7");
}

TEST_CASE("Gpt: learns to repeat, which takes looking back", "[nn][gpt]") {
    Generator random(4);
    const nn::Gpt model({.tokens = 6, .time = 10, .layers = 2, .width = 16, .heads = 2}, random);
    std::vector<Index> both;  // five tokens, then the same five
    for (Index n = 0; n < 64; ++n) {
        const std::vector<Index> five = random.integers({5}, 0, 6).values();
        for (int twice = 0; twice < 2; ++twice) both.insert(both.end(), five.begin(), five.end());
    }
    const Integers x({64, 10}, both);
    std::vector<Index> next;  // the tokens after the fifth position and the four positions after it
    for (Index n = 0; n < 64; ++n)
        for (Index t = 5; t < 10; ++t) next.push_back(both[std::size_t(10 * n + t)]);
    optim::Adam adam(nn::parameters(model), {.lr = 0.01});
    const auto loss = [&] {
        return cross_entropy(reshape(slice(model(x), 1, 4, 9), {64 * 5, 6}), Integers({64 * 5}, next));
    };
    CHECK(loss().item() > 1.5);
    optim::fit(adam, loss, {.steps = 200});
    CHECK(loss().item() < 0.1);
}

TEST_CASE("Gpt: sizes", "[nn][gpt]") {
    Generator random(5);
    const auto count = [](Index tokens, Index time, Index layers, Index width) {
        return tokens * width + time * width + layers * (12 * width * width + 13 * width) + 2 * width;
    };
    CHECK(nn::count(nn::Gpt(tiny, random)) == count(5, 7, 2, 8));
    CHECK(count(50257, 1024, 12, 768) == 124'439'808);
    CHECK(nn::count(nn::Gpt({.tokens = 3, .time = 2, .layers = 0, .width = 4}, random)) == 3 * 4 + 2 * 4 + 2 * 4);
    CHECK(nn::Gpt(tiny, random)(Integers(Shape{2, 0})).shape() == Shape{2, 0, 5});
    CHECK_THROWS_WITH(nn::Gpt({.tokens = 5, .time = 7, .layers = 1, .width = 8, .heads = 3}, random),
                      "MultiHeadAttention: wanted heads that divide width 8, got 3");
    CHECK_THROWS_WITH(nn::Gpt({.tokens = 5, .time = 7, .layers = -1}, random), "Gpt: wanted layers >= 0, got -1");
    const nn::Gpt model(tiny, random);
    CHECK_THROWS_WITH(model(Integers({7}, {0, 0, 0, 0, 0, 0, 0})),
                      "Gpt: wanted tokens of shape (batch, time), got shape (7)");
    CHECK_THROWS_WITH(model(Integers(Shape{1, 8})), "Gpt: knows 7 places, wanted 8 after 0");
    std::vector<nn::KeyValueCache> none;
    CHECK_THROWS_WITH(model(Integers({1, 1}, {0}), none), "Gpt: wanted a cache for each of 2 blocks, got 0");
}
