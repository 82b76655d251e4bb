#include <recto/text/perplexity.hpp>

#include <cmath>
#include <limits>

#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("perplexity: of K equal choices it is K", "[text][perplexity][row:eq-perplexity/a]") {
    for (const Index k : {1, 2, 3, 27, 2000}) {
        CHECK(std::abs(text::perplexity(std::vector<double>(50, -std::log(double(k)))) - double(k)) <=
              1e-9 * double(k));
        const double of_scores = text::perplexity(zeros({5, k}), Integers({5}, std::vector<Index>(5, k - 1)));
        CHECK(std::abs(of_scores - double(k)) <= 10 * usual * double(k));
    }
}

TEST_CASE("perplexity: exp of the mean negative log-likelihood", "[text][perplexity][row:eq-perplexity/b]") {
    Generator random(1);
    const Tensor scores = random.normal({4, 7, 9}, 0, 2), logs = log_softmax(scores);
    const Integers symbols = random.integers({4, 7}, 0, 9);
    std::vector<double> found;
    for (Index b = 0; b < 4; ++b)
        for (Index t = 0; t < 7; ++t)
            found.push_back(double(logs.at({b, t, symbols.values()[std::size_t(7 * b + t)]})));
    double mean = 0;
    for (const double p : found) mean += p / 28;
    CHECK(std::abs(text::perplexity(found) - std::exp(-mean)) <= 1e-12 * std::exp(-mean));
    CHECK(std::abs(text::perplexity(scores, symbols) - text::perplexity(found)) <= 20 * usual * std::exp(-mean));
}

TEST_CASE("perplexity: edges and messages", "[text][perplexity]") {
    constexpr double inf = std::numeric_limits<double>::infinity();
    CHECK(text::perplexity(std::vector<double>{0}) == 1);
    CHECK(text::perplexity(std::vector<double>{-1, -inf}) == inf);
    CHECK_THROWS_WITH(text::perplexity(std::vector<double>{}), "perplexity: wanted at least one probability, got none");
    CHECK_THROWS_WITH(text::perplexity(std::vector<double>{-1, 0.5}),
                      "perplexity: wanted logarithms of probabilities, at most 0, got 0.5");
    CHECK_THROWS_WITH(text::perplexity(std::vector<double>{std::nan("")}),
                      "perplexity: wanted logarithms of probabilities, at most 0, got nan");
}
