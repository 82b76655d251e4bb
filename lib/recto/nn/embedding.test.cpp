#include <recto/nn/embedding.hpp>

#include <cmath>

#include <recto/ops/indexing/index.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("Embedding: a vector for every token",
          "[nn][devices][row:sys-embedding/b][row:sys-embedding/c][row:sys-embedding/d]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(4);
    const nn::Embedding layer(5, 3, random, {.deviation = 0.1, .device = device});
    CHECK(nn::count(layer) == 15);
    for (const double w : doubles(layer.weight)) CHECK(std::abs(w) <= 0.6);
    const Integers tokens({2, 2}, {4, 0, 4, 1}, device);
    const Tensor y = layer(tokens);
    CHECK(y.shape() == Shape{2, 2, 3});
    CHECK(same_bits(y, index_rows(layer.weight, tokens)));
    sum(y).backward();
    CHECK(layer.weight.grad().values() == std::vector<Real>{1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 2, 2, 2});
    CHECK_THROWS_WITH(layer(Integers({1}, {5}, device)), "index_rows: wanted labels from 0 to 4, got 5 at position 0");
    CHECK_THROWS_WITH(nn::Embedding(-1, 2, random), "Embedding: wanted sizes of at least 0, got -1 tokens of width 2");
}
