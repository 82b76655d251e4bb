#include <recto/ops/indexing/neighbours.hpp>

#include <recto/device/threads.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
using Values = std::vector<Real>;

/// A graph in which a target has 0 to `most` neighbours, some of them repeated.
Neighbours draw(Generator& random, Index targets, Index sources, Index most, Device device = Device::cpu) {
    std::vector<Index> offsets{0}, places;
    for (Index i = 0; i < targets; ++i) {
        for (Index n = random.next_integer(0, most + 1); n > 0; --n) places.push_back(random.next_integer(0, sources));
        offsets.push_back(Index(places.size()));
    }
    return Neighbours(Integers({targets + 1}, offsets, device), Integers({Index(places.size())}, places, device),
                      sources);
}
}  // namespace

TEST_CASE("sum_neighbours: definition, exact on integers", "[ops][exact][neighbours][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index targets = GENERATE(1, 5, 129), cols = GENERATE(1, 3, 127, 128, 129), sources = 7;
    CAPTURE(device, targets, cols);
    Generator random(1);
    std::vector<Index> offsets{0}, places;
    for (Index i = 0; i < targets; ++i) {
        for (Index n = random.next_integer(0, 5); n > 0; --n) places.push_back(random.next_integer(0, sources));
        offsets.push_back(Index(places.size()));
    }
    const Neighbours graph(Integers({targets + 1}, offsets, device), Integers({Index(places.size())}, places, device),
                           sources);
    CHECK(graph.targets() == targets);
    CHECK(graph.sources() == sources);
    Values whole;
    for (const Index v : random.integers({sources, cols}, -99, 100).values()) whole.push_back(Real(v));
    const Tensor x = Tensor({sources, cols}, whole, device).requires_grad_(),
                 dy = ones({targets, cols}, device) *
                      Tensor({cols}, Values(whole.begin(), whole.begin() + cols), device);
    std::vector<double> want(std::size_t(targets * cols)), slope(whole.size());
    for (std::size_t i = 0; i < std::size_t(targets); ++i)
        for (Index e = offsets[i]; e < offsets[i + 1]; ++e)
            for (std::size_t j = 0; j < std::size_t(cols); ++j) {
                const std::size_t from = std::size_t(places[std::size_t(e)]) * std::size_t(cols) + j;
                want[i * std::size_t(cols) + j] += whole[from];
                slope[from] += whole[j];
            }
    const Tensor y = sum_neighbours(x, graph);
    CHECK(close(y, want, 0));
    sum(y * dy).backward();
    CHECK(close(x.grad(), slope, 0));
    CHECK(same_bits(sum_neighbours(transpose(contiguous(transpose(x))), graph), y));
}

TEST_CASE("sum_neighbours: agrees with PyTorch", "[ops][neighbours][golden][devices]") {
    check_golden("sum_neighbours", [](const Golden& g) {
        return sum_neighbours(g["x"], Neighbours(g.integers("offsets"), g.integers("places"), g["x"].size(0)));
    });
}

TEST_CASE("sum_neighbours: edges", "[ops][neighbours][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Neighbours lonely(Integers({4}, {0, 0, 2, 2}, device), Integers({2}, {1, 1}, device), 2);
    CHECK(sum_neighbours(Tensor({2}, {5, 7}, device), lonely).values() == Values{0, 14, 0});
    CHECK(sum_neighbours(ones({2, 2, 3}, device), lonely).shape() == Shape{3, 2, 3});
    CHECK(sum_neighbours(ones({2, 0}, device), lonely).shape() == Shape{3, 0});
    const Neighbours nobody(Integers({1}, {0}, device), Integers({0}, device), 2);
    const Tensor x = ones({2, 3}, device).requires_grad_();
    sum(sum_neighbours(x, nobody)).backward();
    CHECK(x.grad().values() == Values(6, 0));
    CHECK(sum_neighbours(empty({0, 3}, device), Neighbours(Integers({3}, {0, 0, 0}, device), Integers({0}, device), 0))
              .values() == Values(6, 0));
}

TEST_CASE("sum_neighbours: the same bits for any number of threads", "[ops][neighbours]") {
    Generator random(2);
    const Neighbours graph = draw(random, 2000, 1500, 20);
    const Tensor x = random.normal({1500, 16}), dy = random.normal({2000, 16});
    const int before = threads();
    std::vector<std::vector<Values>> found;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        const Tensor in = clone(x).requires_grad_(), y = sum_neighbours(in, graph);
        sum(y * dy).backward();
        found.push_back({y.values(), in.grad().values()});
    }
    set_threads(before);
    CHECK(found[0] == found[1]);
    CHECK(found[0] == found[2]);
}

GRADIENT_TEST("sum_neighbours") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(std::uint64_t(x[0].numel()));
            return sum_neighbours(x[0], draw(random, 4, x[0].size(0), 3, x[0].device()));
        },
        [](Generator& random) { return Inputs{random.normal(random_shape(random))}; });
}

TEST_CASE("neighbours: messages", "[ops][neighbours]") {
    const auto graph = [](std::initializer_list<Index> offsets, std::initializer_list<Index> places) {
        return Neighbours(Integers({Index(offsets.size())}, offsets), Integers({Index(places.size())}, places), 3);
    };
    CHECK_THROWS_WITH(graph({}, {}), "Neighbours: wanted offsets (targets + 1) and places, got shapes (0) and (0)");
    CHECK_THROWS_WITH(graph({1, 2}, {0, 1}), "Neighbours: wanted offsets from 0 to 2, got 1 to 2");
    CHECK_THROWS_WITH(graph({0, 3}, {0, 1}), "Neighbours: wanted offsets from 0 to 2, got 0 to 3");
    CHECK_THROWS_WITH(graph({0, 2, 1, 2}, {0, 1}), "Neighbours: wanted offsets that never fall, got 1 after 2");
    CHECK_THROWS_WITH(graph({0, 2}, {0, 3}), "Neighbours: wanted labels from 0 to 2, got 3 at position 1");
    CHECK_THROWS_WITH(graph({0, 1}, {-1}), "Neighbours: wanted labels from 0 to 2, got -1 at position 0");
    CHECK_THROWS_WITH(Neighbours(Integers({1}, {0}), Integers({0}), -1),
                      "Neighbours: wanted at least 0 sources, got -1");
    CHECK_THROWS_WITH(Neighbours(Integers({1}, {0}), Integers({0}, Device::sim), 1),
                      "Neighbours: wanted both on one device, got cpu and sim");
    CHECK_THROWS_WITH(sum_neighbours(ones({2, 2}), graph({0, 1}, {2})),
                      "sum_neighbours: wanted 3 rows, got shape (2, 2)");
    CHECK_THROWS_WITH(sum_neighbours(ones({3}, Device::sim), graph({0, 1}, {2})),
                      "sum_neighbours: wanted both on one device, got sim and cpu");
}
