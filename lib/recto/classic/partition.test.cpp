#include <recto/classic/partition.hpp>

#include <cmath>
#include <numeric>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::classic;

namespace {

/// Whether a partition exists, by dynamic programming over the reachable sums, independently of signs.
bool reachable(const std::vector<Index>& numbers) {
    const Index total = std::accumulate(numbers.begin(), numbers.end(), Index(0));
    if (total % 2) return false;
    std::vector<bool> sums(std::size_t(total) + 1, false);
    sums[0] = true;
    for (const Index a : numbers)
        for (Index s = total; s >= a; --s)
            if (sums[std::size_t(s - a)]) sums[std::size_t(s)] = true;
    return sums[std::size_t(total / 2)];
}

std::vector<Index> some_numbers(Index count, Index most, Generator& random) {
    return random.integers({count}, 1, most + 1).values();
}

}  // namespace

TEST_CASE("partition: the loss reaches zero exactly when a partition exists",
          "[classic][row:claim-nphard-training/a]") {
    Generator random(1);
    int with = 0, without = 0;
    for (Index n = 1; n <= 20; ++n)
        for (int draw = 0; draw < (n <= 12 ? 30 : n % 4 ? 0 : 1); ++draw) {
            const auto numbers = some_numbers(n, draw % 2 ? 20 : Index(1) << n, random);
            const PartitionSearch found = search_partitions(numbers);
            REQUIRE(found.exists == reachable(numbers));
            // Every zero of the loss is a choice of signs, and the best choice has loss (difference)^2.
            REQUIRE(partition_loss(numbers, found.signs) ==
                    double(found.smallest_difference * found.smallest_difference));
            REQUIRE((partition_loss(numbers, found.signs) == 0) == reachable(numbers));
            ++(found.exists ? with : without);
        }
    CHECK(with >= 50);  // both cases occurred
    CHECK(without >= 50);
}

TEST_CASE("partition: each further number doubles the choices", "[classic][row:claim-nphard-training/b]") {
    Generator random(2);
    Index before = 1;
    for (Index n = 1; n <= 16; ++n) {
        const Index now = search_partitions(some_numbers(n, 1000, random)).candidates;
        CHECK(now == 2 * before);
        before = now;
    }
}

TEST_CASE("partition: gradient and descent", "[classic]") {
    const std::vector<Index> numbers = {3, 1, 2, 5, 4, 7};  // 22 in total, so each half sums to 11
    Generator random(3);
    int solved = 0;
    for (int i = 0; i < 20; ++i) {
        Vector w;
        for (std::size_t k = 0; k < numbers.size(); ++k) w.push_back(random.next_normal());
        const Vector g = partition_loss_gradient(numbers, w);
        for (std::size_t k = 0; k < w.size(); ++k) {
            Vector up = w, down = w;
            up[k] += 1e-4, down[k] -= 1e-4;
            const double slope = (partition_loss(numbers, up) - partition_loss(numbers, down)) / 2e-4;
            REQUIRE(std::abs(slope - g[k]) <= 1e-6 * (1 + std::abs(g[k])));
        }
        const PartitionDescent end = descend_partition(numbers, w, 3000);
        REQUIRE(end.loss <= partition_loss(numbers, w));
        REQUIRE(end.loss == partition_loss(numbers, end.w));
        solved += end.loss < 1e-9;
    }
    CAPTURE(solved);
    CHECK(solved >= 1);                                           // it works from some starting points ...
    CHECK(descend_partition(numbers, Vector(6, 0.0)).loss == 6);  // ... and never from the ridge in the middle
}

TEST_CASE("partition: messages", "[classic]") {
    CHECK_THROWS_WITH(search_partitions(std::vector<Index>(31, 1)),
                      "search_partitions: wanted 1 to 30 numbers, got 31");
    CHECK_THROWS_WITH(search_partitions(std::vector<Index>{1, 0}),
                      "search_partitions: wanted numbers from 1 to 10^12, got 0");
    CHECK_THROWS_WITH(partition_loss(std::vector<Index>{1, 2}, Vector{1}),
                      "partition_loss: 2 numbers want as many weights, got 1");
}
