#include <recto/nn/influence.hpp>

#include <cmath>

#include <recto/nn/conv.hpp>
#include <recto/nn/gpt.hpp>
#include <recto/nn/recurrent.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using nn::influence, nn::vector_influence, nn::is_causal;

namespace {

/// Counts the entries that are not 0 below the diagonal, on it, and above it.
std::vector<int> counts(const Tensor& matrix) {
    std::vector<int> made(3, 0);
    for (Index t = 0; t < matrix.size(0); ++t)
        for (Index s = 0; s < matrix.size(1); ++s)
            if (matrix.at({t, s}) != 0) ++made[s < t ? 0 : s == t ? 1 : 2];
    return made;
}

}  // namespace

TEST_CASE("influence: finds who looks at whom",
          "[nn][influence][row:eq-causal-model/a][row:eq-causal-model/b][row:eq-causal-model/c]") {
    Generator random(1);
    constexpr Index time = 6, symbols = 4;
    const nn::Gpt gpt({.tokens = symbols, .time = time, .layers = 2, .width = 8, .heads = 2}, random);
    const Tensor causal = influence(gpt, time, symbols, random, 2);
    CHECK(counts(causal) == std::vector{15, 6, 0});
    CHECK(is_causal(causal, 0));
    CHECK_FALSE(is_causal(causal));

    // If the model reads a start symbol and the previous tokens, row t predicts token t without seeing it.
    const auto shifted = [&](const Integers& tokens) {
        std::vector<Index> before = tokens.values();
        before.insert(before.begin(), 0), before.pop_back();
        return gpt(Integers({1, time}, before));
    };
    const Tensor delayed = influence(shifted, time, symbols, random, 2);
    CHECK(counts(delayed) == std::vector{15, 0, 0});
    CHECK(is_causal(delayed));

    const auto open = [&](const Integers& tokens) { return gpt(tokens, {}); };
    CHECK(counts(influence(open, time, symbols, random, 2)) == std::vector{15, 6, 15});

    const Tensor weights = random.normal({symbols, 3});
    const auto alone = [&](const Integers& tokens) { return index_rows(weights, tokens); };
    CHECK(counts(influence(alone, time, symbols, random, 1)) == std::vector{0, 6, 0});
}

TEST_CASE("influence: recurrent, convolutional and fully connected models of vectors",
          "[nn][influence][row:eq-causal-model/c]") {
    Generator random(2);
    constexpr Index time = 5, width = 3;
    const nn::Gru gru(width, 4, random);
    const auto recurrent = [&](const Tensor& x) { return gru(x).y; };
    CHECK(counts(vector_influence(recurrent, time, width, random)) == std::vector{10, 5, 0});

    const nn::Conv1d conv(width, 2, 3, random);
    const auto padded = [&](Index before, Index after) {
        return [&conv, before, after](const Tensor& x) {
            const Tensor begin = zeros({1, width, before}), end = zeros({1, width, after});
            return transpose(conv(concat({begin, transpose(x), end}, 2)));
        };
    };
    CHECK(counts(vector_influence(padded(2, 0), time, width, random)) == std::vector{4 + 3, 5, 0});
    CHECK(counts(vector_influence(padded(1, 1), time, width, random)) == std::vector{4, 5, 4});

    const nn::Linear all(time * width, 2 * time, random);
    const auto perceptron = [&](const Tensor& x) { return reshape(tanh(all(flatten(x))), {1, time, 2}); };
    const Tensor dense = vector_influence(perceptron, time, width, random);
    CHECK(counts(dense) == std::vector{10, 5, 10});
    CHECK_FALSE(is_causal(dense, 0));
}

TEST_CASE("influence: sizes of changes, down to the last bit, and NaN", "[nn][influence]") {
    Generator random(3);
    const auto sum_of = [](Real factor) {
        return [factor](const Integers& tokens) {
            Real total = 0;
            for (const Index token : tokens.values()) total += Real(token) * factor;
            return Tensor({1, 1}, {total});
        };
    };
    const Tensor sizes = influence(sum_of(2), 3, 3, random, 20);
    CHECK(sizes.shape() == Shape{1, 3});
    CHECK(sizes.values() == std::vector<Real>{4, 4, 4});
    CHECK(influence(sum_of(std::numeric_limits<Real>::denorm_min()), 1, 2, random).at({0, 0}) > 0);
    const auto broken = [](const Integers& tokens) {
        return Tensor({1, 2}, {tokens.values()[0] == 0 ? Real(NAN) : Real(0), Real(NAN)});
    };
    CHECK(influence(broken, 1, 2, random).values() == std::vector<Real>{Real(INFINITY), 0});
}

TEST_CASE("influence: messages", "[nn][influence]") {
    Generator random(4);
    const auto model = [](const Integers& tokens) { return zeros({1, tokens.size(1), 2}); };
    CHECK_THROWS_WITH(influence(model, 0, 2, random),
                      "influence: wanted at least one place and one trial, got 0 and 8");
    CHECK_THROWS_WITH(influence(model, 2, 2, random, 0),
                      "influence: wanted at least one place and one trial, got 2 and 0");
    CHECK_THROWS_WITH(influence(model, 2, 1, random), "influence: wanted at least 2 symbols, got 1");
    CHECK_THROWS_WITH(influence(
                          [](const Integers&) {
                              return zeros({2, 2});
                          },
                          2, 2, random),
                      "influence: wanted outputs of one shape (1, outputs, ...), got (2, 2) and (2, 2)");
    CHECK_THROWS_WITH(vector_influence([](const Tensor& x) { return x; }, 2, 0, random),
                      "influence: wanted vectors of at least one number, got 0");
    CHECK_THROWS_WITH(is_causal(zeros({3})), "is_causal: wanted (outputs, time), got shape (3)");
}
