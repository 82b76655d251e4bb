#include <recto/nn/bert.hpp>

#include <algorithm>
#include <cmath>

#include <recto/autograd/tape.hpp>
#include <recto/nn/influence.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

const nn::BertSize tiny{
    .tokens = 11, .time = 6, .segments = 2, .layers = 2, .width = 8, .hidden = 12, .heads = 2, .deviation = 0.5};

}  // namespace

TEST_CASE("Bert: embeddings are a normalised sum of three", "[nn][bert][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    const nn::Bert model(tiny, random, device);
    const Integers tokens({2, 3}, {4, 10, 0, 1, 1, 7}, device), segment({2, 3}, {0, 0, 1, 0, 1, 1}, device);
    const Tensor got = model.embed(tokens, segment), first = model.embed(tokens);
    CHECK(got.shape() == Shape{2, 3, 8});
    for (Index n = 0; n < 2; ++n)
        for (Index t = 0; t < 3; ++t) {
            const auto sum_of = [&](Index kind) {
                const Index word = tokens.values()[std::size_t(3 * n + t)];
                return select(model.words.weight, 0, word) + select(model.places.weight, 0, t) +
                       select(model.segments.weight, 0, kind);
            };
            const Index kind = segment.values()[std::size_t(3 * n + t)];
            CHECK(close(select(select(got, 0, n), 0, t), doubles(model.embedded(sum_of(kind))), 10 * usual));
            CHECK(close(select(select(first, 0, n), 0, t), doubles(model.embedded(sum_of(0))), 10 * usual));
        }
}

TEST_CASE("Bert: a block normalises after each sum", "[nn][bert][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(2);
    const nn::BertBlock block(tiny, random, device);
    const Tensor x = random.normal({2, 4, 8}, 0, 1, device), y = block(x);
    const Tensor seen = block.after_attention(x + block.attention(x));
    CHECK(close(y, doubles(block.after_perceptron(seen + block.narrow(gelu(block.widen(seen))))), 20 * usual));
    CHECK(close(mean(y, {2}), std::vector<double>(8, 0.0), 20 * usual));
    CHECK(close(mean(square(y), {2}), std::vector<double>(8, 1.0), 1e-3));
}

TEST_CASE("Bert: every output depends on every token, and on none beyond the length", "[nn][bert][row:sys-bert/b]") {
    Generator random(3);
    const nn::Bert model(tiny, random);
    const NoGrad only_asking;
    const std::vector<Real> all =
        nn::influence([&](const Integers& x) { return model(x); }, 6, tiny.tokens, random, 2).values();
    CHECK(std::ranges::all_of(all, [](Real change) { return change > 0; }));
    const Tensor some =
        nn::influence([&](const Integers& x) { return slice(model(x, {.lengths = Integers({1}, {4})}), 1, 0, 4); }, 6,
                      tiny.tokens, random, 2);
    for (Index t = 0; t < 4; ++t)
        for (Index s = 0; s < 6; ++s) CHECK((some.at({t, s}) > 0) == (s < 4));
}

TEST_CASE("Bert: the pooler reads the first token, and the head scores tokens by their vectors", "[nn][bert]") {
    Generator random(4);
    const nn::Bert model(tiny, random);
    const nn::MaskedTokenHead head(tiny, random);
    const Tensor outputs = random.normal({2, 5, 8});
    CHECK(same_bits(model.pooled(outputs), tanh(model.pooler(select(outputs, 1, 0)))));
    const Tensor scores = head(outputs, model.words.weight);
    CHECK(scores.shape() == Shape{2, 5, 11});
    const Tensor wanted = linear(head.norm(gelu(head.dense(outputs))), model.words.weight) + head.bias;
    CHECK(close(scores, doubles(wanted), 20 * usual));
}

TEST_CASE("Bert: parameters and messages", "[nn][bert]") {
    Generator random(5);
    const Index block = 4 * (8 * 8 + 8) + (8 * 12 + 12) + (12 * 8 + 8) + 4 * 8;
    CHECK(nn::count(nn::Bert(tiny, random)) == (11 + 6 + 2) * 8 + 2 * 8 + 2 * block + 8 * 8 + 8);
    CHECK(nn::count(nn::MaskedTokenHead(tiny, random)) == 8 * 8 + 8 + 2 * 8 + 11);
    const nn::Bert model(tiny, random);
    CHECK_THROWS_WITH(nn::Bert({.layers = -1}, random), "Bert: wanted layers >= 0, got -1");
    CHECK_THROWS_WITH(model(Integers({3}, {1, 2, 3})), "Bert: wanted tokens of shape (batch, time), got shape (3)");
    CHECK_THROWS_WITH(model(Integers({1, 7}, {1, 2, 3, 4, 5, 6, 7})), "Bert: wanted at most 6 tokens, got 7");
    CHECK_THROWS_WITH(model.embed(Integers({1, 2}, {1, 2}), Integers({2}, {0, 0})),
                      "Bert: wanted a segment for each token of shape (1, 2), got shape (2)");
}

TEST_CASE("mask_tokens: shares of the chosen tokens", "[nn][bert]") {
    Generator random(6);
    const Index mask = 50, first = 1, last = 40, n = 200'000;
    const Integers tokens = random.integers({n}, 0, 45);
    const auto [read, wanted] = nn::mask_tokens(tokens, mask, {.first_word = first, .last_word = last}, random);
    Index words = 0, chosen = 0, hidden = 0, kept = 0;
    for (Index i = 0; i < n; ++i) {
        const Index was = tokens.data()[i], now = read.data()[i], want = wanted.data()[i];
        const bool word = was >= first && was <= last;
        words += word;
        if (want < 0) {
            CHECK(now == was);
            continue;
        }
        CHECK((word && want == was));
        ++chosen, hidden += now == mask, kept += now == was;
        CHECK((now == mask || (now >= first && now <= last)));
    }
    CHECK(std::abs(double(chosen) / double(words) - 0.15) < 0.005);
    CHECK(std::abs(double(hidden) / double(chosen) - 0.8) < 0.01);
    CHECK(std::abs(double(kept) / double(chosen) - (0.1 + 0.1 / 40)) < 0.01);
    const auto none = nn::mask_tokens(tokens, mask, {.chosen = 0, .last_word = 44}, random);
    CHECK(none.read.values() == tokens.values());
    CHECK_THROWS_WITH(
        nn::mask_tokens(tokens, mask, {.chosen = 1.5, .last_word = 44}, random),
        "mask_tokens: wanted probabilities from 0 to 1, and so their sum for a chosen token, got 1.5 chosen, 0.8 "
        "hidden, 0.1 replaced");
    CHECK_THROWS_WITH(nn::mask_tokens(tokens, mask, {.first_word = 3, .last_word = 2}, random),
                      "mask_tokens: wanted a range of words, got 3 to 2");
}

GRADIENT_TEST("Bert") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(7);
            nn::Bert model(tiny, random, x[0].device());
            const nn::MaskedTokenHead head(tiny, random, x[0].device());
            model.words.weight = x[0], model.places.weight = x[1];
            return head(model(Integers({1, 3}, {4, 10, 0}, x[0].device())), model.words.weight);
        },
        [](Generator& random) {
            return Inputs{random.normal({11, 8}), random.normal({6, 8})};
        },
        4);
}
