#include <recto/nn/attention.hpp>

#include <recto/nn/positions.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/positions.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("MultiHeadAttention: agrees with PyTorch",
          "[nn][attention][golden][devices][row:sys-multi-head-attention/d]") {
    check_golden("multi_head_attention", [](const Golden& g) {
        const Tensor& x = g["x"];
        Generator random(1);
        nn::MultiHeadAttention layer(x.size(-1), g.number("heads"), random, {.device = x.device()});
        layer.in_proj_weight = g["in_weight"], layer.in_proj_bias = g.has("in_bias") ? g["in_bias"] : Tensor();
        layer.out_proj.weight = g["out_weight"], layer.out_proj.bias = g.has("out_bias") ? g["out_bias"] : Tensor();
        AttentionOptions options{.causal = g.number("causal") == 1};
        if (g.has("lengths")) options.lengths = g.integers("lengths");
        return g.has("memory") ? layer(x, g["memory"], options) : layer(x, options);
    });
}

TEST_CASE("MultiHeadAttention: self-attention is cross-attention with itself", "[nn][attention][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const bool causal = GENERATE(false, true);
    Generator random(2);
    const nn::MultiHeadAttention layer(6, 3, random, {.device = device});
    CHECK(nn::count(layer) == 4 * 6 * 6 + 4 * 6);
    CHECK(nn::parameters(layer)[2].name == "out_proj.weight");
    const Tensor x = random.normal({2, 5, 6}, 0, 1, device);
    CHECK(close(layer(x, {.causal = causal}), doubles(layer(x, x, {.causal = causal})), 4 * usual));
}

TEST_CASE("MultiHeadAttention: with one head it is the operator between its projections",
          "[nn][attention][devices][row:sys-multi-head-attention/a][row:sys-multi-head-attention/b]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(6);
    const nn::MultiHeadAttention layer(4, 1, random, {.device = device});
    const Tensor x = random.normal({1, 5, 4}, 0, 1, device), memory = random.normal({1, 7, 4}, 0, 1, device);
    const auto projected = [&](const Tensor& from, Index part) {
        const Tensor w = slice(layer.in_proj_weight, 0, 4 * part, 4 * part + 4);
        return reshape(linear(from, w), {1, 1, from.size(1), 4});
    };
    const Tensor y = attention(projected(x, 0), projected(memory, 1), projected(memory, 2));
    CHECK(close(layer(x, memory), doubles(layer.out_proj(reshape(y, {1, 5, 4}))), 5e-7));
    const Index heads = 3, width = 12, inner = width / heads;  // of queries, keys and values
    CHECK(nn::count(nn::MultiHeadAttention(width, heads, random, {.bias = false})) ==
          heads * width * (2 * inner + inner) + heads * inner * width);
}

GRADIENT_TEST("MultiHeadAttention", "[row:sys-multi-head-attention/c]") {
    const auto layer = [](const Inputs& x) {
        Generator random(4);
        nn::MultiHeadAttention made(4, 2, random);
        made.in_proj_weight = x[1], made.in_proj_bias = x[2], made.out_proj.weight = x[3], made.out_proj.bias = x[4];
        return made;
    };
    const auto inputs = [](Generator& random) {
        return Inputs{random.normal({2, 3, 4}), random.normal({12, 4}), random.normal({12}), random.normal({4, 4}),
                      random.normal({4})};
    };
    check_gradient([&](const Inputs& x) { return layer(x)(x[0], {.causal = true}); }, inputs, 4);
    check_gradient([&](const Inputs& x) { return layer(x)(x[0], x[5]); },
                   [&](Generator& random) {
                       Inputs made = inputs(random);
                       made.push_back(random.normal({2, 5, 4}));
                       return made;
                   },
                   4);
}

TEST_CASE("MultiHeadAttention: word by word with a cache, the same numbers", "[nn][attention][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const bool bias = GENERATE(true, false);
    CAPTURE(device, bias);
    Generator random(3);
    const nn::MultiHeadAttention layer(8, 2, random, {.bias = bias, .device = device});
    const Tensor x = random.normal({3, 9, 8}, 0, 1, device), whole = layer(x, {.causal = true});
    nn::KeyValueCache cache = layer.cache(3, 10);
    for (int round = 0; round < 2; ++round) {  // an emptied cache works like a new one
        for (Index begin = 0; const Index count : {4, 1, 1, 0, 3}) {
            const Tensor y = layer(slice(x, 1, begin, begin + count), cache);
            CHECK_FALSE(y.requires_grad());
            CHECK(close(y, doubles(slice(whole, 1, begin, begin + count)), 4 * usual));
            CHECK(cache.length == (begin += count));
        }
        cache.length = 0;
    }
    cache.length = 9;
    CHECK_THROWS_WITH(layer(slice(x, 1, 0, 2), cache),
                      "MultiHeadAttention: the cache holds 10 words, wanted 2 more than the 9 in it");
    CHECK_THROWS_WITH(
        layer(slice(x, 0, 0, 2), cache),
        "MultiHeadAttention: a cache of shape (3, 10, 8) wants words of (3, time, 8), got shape (2, 9, 8)");
    CHECK_THROWS_WITH(nn::MultiHeadAttention(8, 3, random),
                      "MultiHeadAttention: wanted heads that divide width 8, got 3");
    CHECK_THROWS_WITH(nn::MultiHeadAttention(8, 0, random),
                      "MultiHeadAttention: wanted heads that divide width 8, got 0");
}

TEST_CASE("positions: learned and sinusoidal are added", "[nn][positions][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(4);
    const nn::LearnedPositions learned(5, 3, random, 1, device);
    const nn::SinusoidalPositions waves(5, 3, device);
    CHECK(nn::count(learned) == 15);
    CHECK(nn::count(waves) == 0);
    const Tensor x = zeros({2, 2, 3}, device);
    CHECK(select(learned(x, 3), 0, 1).values() == slice(learned.weight, 0, 3, 5).values());
    CHECK(select(waves(x, 1), 0, 0).values() == sinusoidal_positions(2, 3, device, 1).values());
    sum(learned(x, 3)).backward();
    CHECK(learned.weight.grad().values() == std::vector<Real>{0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2});
    CHECK_THROWS_WITH(learned(x, 4), "LearnedPositions: wanted positions from 0 to below 5, got 2 from 4");
    CHECK_THROWS_WITH(waves(zeros({2, 4}, device)), "SinusoidalPositions: wanted (..., time, 3), got shape (2, 4)");
}

TEST_CASE("attention layer: a copy of a cache continues by itself", "[nn][attention][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    const nn::MultiHeadAttention layer(4, 2, random, {.device = device});
    const Tensor start = random.normal({1, 3, 4}, 0, 1, device), one = random.normal({1, 1, 4}, 0, 1, device),
                 other = random.normal({1, 1, 4}, 0, 1, device), last = random.normal({1, 1, 4}, 0, 1, device);
    nn::KeyValueCache cache = layer.cache(1, 8);
    layer(start, cache);
    nn::KeyValueCache alone = layer.cache(1, 8), copy = cache, assigned;
    assigned = cache;
    layer(start, alone);
    layer(one, alone);
    layer(one, cache);
    layer(other, copy);
    layer(other, assigned);
    CHECK(copy.length == 4);
    CHECK(same_bits(layer(last, cache), layer(last, alone)));
}
