#include <recto/text/generate.hpp>

#include <cmath>
#include <limits>
#include <map>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using text::chances, text::generate, text::Sampling;

namespace {

constexpr Real inf = std::numeric_limits<Real>::infinity();

/// A model whose scores after token i are row i; at the beginning the last row.
text::NextScores table(std::vector<std::vector<Real>> rows) {
    return [rows](std::span<const Index> before) {
        return before.empty() ? rows.back() : rows[std::size_t(before.back())];
    };
}

}  // namespace

TEST_CASE("generate: chances by their definition", "[text][generate][row:sys-autoregressive-sampling/b]") {
    Generator random(1);
    for (int round = 0; round < 200; ++round) {
        const Index count = 1 + round % 7;
        const std::vector<Real> scores = random.normal({count}, 0, 3).values();
        const double temperature = 0.25 + random.next_uniform() * 3;
        double total = 0;
        for (const Real l : scores) total += std::exp(double(l) / temperature);
        std::vector<double> want;
        for (const Real l : scores) want.push_back(std::exp(double(l) / temperature) / total);
        CHECK(close(chances(scores, {.temperature = temperature}), want, 10 * usual));
    }
    CHECK(chances(std::vector<Real>{1, 3, 3, 2}, {.temperature = 0}) == std::vector<Real>{0, 1, 0, 0});
    CHECK(chances(std::vector<Real>{1, 3, 3, 2}, {.top_k = 1}) == std::vector<Real>{0, 1, 0, 0});
    CHECK(chances(std::vector<Real>{1, 3, 3, 2}, {.top_k = 2}) == std::vector<Real>{0, 0.5, 0.5, 0});
    CHECK(chances(std::vector<Real>{0, 0}, {.top_k = 9}) == std::vector<Real>{0.5, 0.5});
    CHECK(chances(std::vector<Real>{-inf, 5, -inf}) == std::vector<Real>{0, 1, 0});
    CHECK(chances(std::vector<Real>{-1000, 1000}, {.temperature = 1e-300}) == std::vector<Real>{0, 1});
}

TEST_CASE("generate: stops, or ends, and is the same with the same seed",
          "[text][generate][row:sys-autoregressive-sampling/c]") {
    const text::NextScores next = table({{0, 1, -1}, {1, 0, 0}, {0, 0, 0}, {0, 0.5, -2}});
    Generator random(2);
    bool stopped = false;
    for (int i = 0; i < 200; ++i) {
        const std::vector<Index> drawn = generate(next, {}, random, {.stop = 2, .most = 6});
        REQUIRE((drawn.size() == 6 || drawn.back() == 2));
        for (std::size_t j = 0; j + 1 < drawn.size(); ++j) REQUIRE(drawn[j] != 2);
        stopped = stopped || drawn.size() < 6;
    }
    CHECK(stopped);
    Generator one(3), two(3);
    CHECK(generate(next, {1}, one, {.most = 50}) == generate(next, {1}, two, {.most = 50}));
    CHECK(one.calls() == two.calls());
    CHECK(generate(next, {0}, one, {.most = 0}).empty());
    CHECK(generate(next, {0}, one, {.temperature = 0, .most = 4}) == std::vector<Index>{1, 0, 1, 0});
    CHECK(generate(table({{0, -inf}, {-inf, 0}}), {1}, one, {.most = 3}) == std::vector<Index>{1, 1, 1});
}

TEST_CASE("generate: the model is told all that came before", "[text][generate]") {
    Generator random(4);
    std::vector<std::vector<Index>> asked;
    const auto count = [&](std::span<const Index> before) {
        asked.emplace_back(before.begin(), before.end());
        std::vector<Real> scores(9, -inf);
        scores[before.size()] = 0;
        return scores;
    };
    CHECK(generate(count, {7, 7}, random, {.most = 3}) == std::vector<Index>{2, 3, 4});
    CHECK(asked == std::vector<std::vector<Index>>{{7, 7}, {7, 7, 2}, {7, 7, 2, 3}});
}

TEST_CASE("generate: frequencies are the chances", "[text][generate]") {
    const std::vector<Real> scores{0, 1, 2, -1};
    for (const Sampling sampling : {Sampling{}, Sampling{.temperature = 2}, Sampling{.top_k = 2}}) {
        const std::vector<Real> p = chances(scores, sampling);
        Generator random(5);
        std::vector<double> counts(4, 0);
        Sampling one = sampling;
        one.most = 1;
        for (int i = 0; i < 20'000; ++i)
            counts[std::size_t(generate([&](std::span<const Index>) { return scores; }, {}, random, one)[0])] += 1;
        for (std::size_t k = 0; k < 4; ++k)  // five standard deviations
            CHECK(std::abs(counts[k] - 20'000 * double(p[k])) <=
                  5 * std::sqrt(20'000 * double(p[k]) * (1 - double(p[k]))));
    }
}

TEST_CASE("generate: messages", "[text][generate]") {
    Generator random(6);
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    CHECK_THROWS_WITH(chances(std::vector<Real>{0}, {.temperature = -1}),
                      "generate: wanted a temperature of at least 0, got -1");
    CHECK_THROWS_WITH(chances(std::vector<Real>{0}, {.temperature = double(nan)}),
                      "generate: wanted a temperature of at least 0, got nan");
    CHECK_THROWS_WITH(chances(std::vector<Real>{0}, {.top_k = -2}), "generate: wanted top_k of at least 0, got -2");
    CHECK_THROWS_WITH(chances(std::vector<Real>{0, nan}), "generate: wanted scores below inf, got nan for symbol 1");
    CHECK_THROWS_WITH(chances(std::vector<Real>{inf}), "generate: wanted scores below inf, got inf for symbol 0");
    CHECK_THROWS_WITH(chances(std::vector<Real>{-inf, -inf}),
                      "generate: wanted a symbol with a score above -inf, got none of 2");
    CHECK_THROWS_WITH(chances({}), "generate: wanted a symbol with a score above -inf, got none of 0");
    CHECK_THROWS_WITH(generate(table({{0}}), {}, random, {.most = -1}),
                      "generate: wanted a number of symbols of at least 0, got -1");
}
