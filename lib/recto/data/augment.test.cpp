#include <recto/data/augment.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::data;

namespace {

/// Images (n, channels, height, width) with all numbers different and from 0 to 1.
Tensor some_pictures(Index n, Index channels, Index height, Index width) {
    std::vector<Real> numbers(std::size_t(n * channels * height * width));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = Real(double(i + 1) / double(numbers.size()));
    return Tensor({n, channels, height, width}, numbers);
}

Real at(const Tensor& x, Index n, Index c, Index row, Index column) {
    if (row < 0 || row >= x.size(2) || column < 0 || column >= x.size(3)) return Real(-1);
    return x.host()[((n * x.size(1) + c) * x.size(2) + row) * x.size(3) + column];
}

}  // namespace

TEST_CASE("shifted: each image is itself, moved, with the filling at the edge",
          "[data][augment][row:sys-data-augmentation/a]") {
    Generator random(1);
    const Tensor x = some_pictures(60, 2, 5, 7), y = shifted(x, 2, random, -1);
    REQUIRE(y.shape() == x.shape());
    std::set<std::pair<Index, Index>> places;
    for (Index n = 0; n < 60; ++n) {
        int fits = 0;  // all numbers differ, so exactly one of the 25 shifts explains an image
        for (Index down = -2; down <= 2; ++down)
            for (Index right = -2; right <= 2; ++right) {
                bool same = true;
                for (Index c = 0; c < 2; ++c)
                    for (Index row = 0; row < 5; ++row)
                        for (Index column = 0; column < 7; ++column)
                            same &= at(y, n, c, row, column) == at(x, n, c, row - down, column - right);
                if (same) ++fits, places.insert({down, right});
            }
        CAPTURE(n);
        REQUIRE(fits == 1);
    }
    CHECK(places.size() >= 18);  // of 25: each image is shifted independently
}

TEST_CASE("shifted: signals move along their only axis", "[data][augment]") {
    Generator random(1);
    const Tensor x({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    CHECK(shifted(x, 0, random).values() == x.values());
    bool moved = false;
    for (int draw = 0; draw < 20; ++draw) {
        const std::vector<Real> y = shifted(x, 3, random).values();
        for (std::size_t n = 0; n < 3; ++n) {
            int fits = 0;
            for (int right = -3; right <= 3; ++right) {
                bool same = true;
                for (int i = 0; i < 4; ++i) {
                    const int from = i - right;
                    same &= y[4 * n + std::size_t(i)] == (from < 0 || from > 3 ? Real(0) : Real(4 * int(n) + from + 1));
                }
                fits += same;
                moved |= same && right != 0;
            }
            REQUIRE(fits == 1);
        }
    }
    CHECK(moved);
}

TEST_CASE("flipped: each image is itself or its mirror image", "[data][augment][row:sys-data-augmentation/a]") {
    Generator random(1);
    const Tensor x = some_pictures(100, 2, 3, 4), y = flipped(x, random);
    REQUIRE(y.shape() == x.shape());
    int mirrored = 0;
    for (Index n = 0; n < 100; ++n) {
        bool same = true, mirror = true;
        for (Index c = 0; c < 2; ++c)
            for (Index row = 0; row < 3; ++row)
                for (Index column = 0; column < 4; ++column) {
                    same &= at(y, n, c, row, column) == at(x, n, c, row, column);
                    mirror &= at(y, n, c, row, column) == at(x, n, c, row, 3 - column);
                }
        REQUIRE(same != mirror);
        mirrored += mirror;
    }
    CHECK((mirrored > 30 && mirrored < 70));
    CHECK(flipped(x, random, 0).values() == x.values());
    CHECK(flipped(flipped(x, random, 1), random, 1).values() == x.values());
}

TEST_CASE("noisy: the noise has its deviation, and the range is kept", "[data][augment][row:sys-data-augmentation/a]") {
    Generator random(1);
    const Tensor grey = Tensor({100, 100}, std::vector<Real>(10'000, Real(0.5)));
    const std::vector<Real> y = noisy(grey, 0.1, random).values();
    double mean = 0, square = 0;
    for (const Real v : y) mean += double(v) / 1e4, square += (double(v) - 0.5) * (double(v) - 0.5) / 1e4;
    CHECK(std::abs(mean - 0.5) < 0.005);
    CHECK(std::abs(std::sqrt(square) - 0.1) < 0.003);
    const Tensor wild = noisy(some_pictures(10, 1, 8, 8), 3, random);
    CHECK(wild.shape() == Shape({10, 1, 8, 8}));
    CHECK(std::ranges::min(wild.values()) == 0);
    CHECK(std::ranges::max(wild.values()) == 1);
    CHECK(std::ranges::min(noisy(grey, 3, random, Range::any()).values()) < -5);
    CHECK(noisy(grey, 0, random).values() == grey.values());
}

TEST_CASE("augment: the same seed gives the same bits, another seed others, and the set stays as it was",
          "[data][augment][row:sys-data-augmentation/b]") {
    const Tensor x = some_pictures(20, 1, 6, 6);
    const std::vector<Real> before = x.values();
    const auto all = [&](std::uint64_t seed) {
        Generator random(seed);
        return noisy(flipped(shifted(x, 2, random), random), 0.1, random).values();
    };
    CHECK(all(1) == all(1));
    CHECK(all(1) != all(2));
    CHECK(x.values() == before);
}

TEST_CASE("augment: no example is no example", "[data][augment]") {
    Generator random(1);
    CHECK(shifted(zeros({0, 1, 4, 4}), 2, random).shape() == Shape({0, 1, 4, 4}));
    CHECK(flipped(zeros({0, 4}), random).shape() == Shape({0, 4}));
    CHECK(noisy(zeros({0, 4}), 1, random).shape() == Shape({0, 4}));
}

TEST_CASE("augment: refuses what makes no sense, in a sentence", "[data][augment]") {
    Generator random(1);
    const Tensor x = some_pictures(2, 1, 3, 5);
    CHECK_THROWS_WITH(shifted(x, 3, random), "shifted: wanted at most 2 places, from 0, got 3");
    CHECK_THROWS_WITH(shifted(x, -1, random), "shifted: wanted at most 2 places, from 0, got -1");
    CHECK_THROWS_WITH(shifted(zeros({4}), 1, random), "shifted: wanted at least 2 axes, examples first, got 1");
    CHECK_THROWS_WITH(flipped(zeros({4}), random), "flipped: wanted at least 2 axes, examples first, got 1");
    CHECK_THROWS_WITH(flipped(x, random, 1.5), "flipped: wanted a probability from 0 to 1, got 1.5");
    CHECK_THROWS_WITH(noisy(x, -1, random), "noisy: wanted a finite deviation of at least 0, got -1");
    CHECK_THROWS_WITH(noisy(x, 1, random, {.low = 1, .high = 0}), "noisy: wanted a range with low <= high, got 1 to 0");
    CHECK_THROWS_WITH(shifted(x.to(Device::sim), 1, random), "shifted: wanted examples on cpu, got them on sim");
}
