#include <recto/ops/sequences/positions.hpp>

#include <algorithm>
#include <cmath>

#include <recto/device/threads.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
RotaryPairs pairs_named(const std::string& word) {
    return word == "halves" ? RotaryPairs::halves : RotaryPairs::neighbours;
}
}  // namespace

TEST_CASE("sinusoidal_positions: definition", "[ops][positions][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index length = GENERATE(0, 1, 129), width = GENERATE(1, 2, 7, 16), first = GENERATE(0, 1000);
    CAPTURE(device, length, width, first);
    std::vector<double> want;
    for (Index t = first; t < first + length; ++t)
        for (Index j = 0; j < width; ++j) {
            const double at = double(t) / std::pow(10000.0, double(j / 2 * 2) / double(width));
            want.push_back(j % 2 ? std::cos(at) : std::sin(at));
        }
    const Tensor table = sinusoidal_positions(length, width, device, first);
    CHECK(table.shape() == Shape{length, width});
    CHECK(close(table, want, sizeof(Real) == 8 ? 1e-11 : 2e-7));
}

TEST_CASE("rotary: definition", "[ops][positions][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape =
        GENERATE(Shape{1, 4}, Shape{3, 8}, Shape{2, 5, 12}, Shape{2, 3, 2, 4}, Shape{129, 4}, Shape{2, 2, 256});
    const RotaryPairs pairs = GENERATE(RotaryPairs::neighbours, RotaryPairs::halves);
    const Index head = shape.size(-1) == 256 ? 256 : 4, first = GENERATE(0, 2);
    CAPTURE(device, shape, head, first);
    const Tensor table = rotary_table(140, head, 100, device), x = Generator(1).normal(shape, 0, 1, device);
    std::vector<double> want = doubles(x);
    const std::size_t width = std::size_t(shape.size(-1)), h = std::size_t(head);
    for (std::size_t at = 0; at < want.size(); at += h)
        for (std::size_t i = 0; i < h / 2; ++i) {
            const double t = double(first + Index(at / width) % shape.size(-2));
            const double angle = t * std::pow(100.0, -2 * double(i) / double(h));
            const bool halves = pairs == RotaryPairs::halves;
            double &a = want[at + (halves ? i : 2 * i)], &b = want[at + (halves ? i + h / 2 : 2 * i + 1)];
            const double old = a;
            a = old * std::cos(angle) - b * std::sin(angle);
            b = old * std::sin(angle) + b * std::cos(angle);
        }
    CHECK(close(rotary(x, table, first, pairs), want));
    CHECK(close(rotary(transpose(contiguous(transpose(x))), table, first, pairs), want));
}

TEST_CASE("rotary: agrees with PyTorch", "[ops][positions][golden][devices]") {
    check_golden("rotary", [](const Golden& g) {
        const Tensor table = rotary_table(g.number("length"), g.number("head"), g.real("base"), g["x"].device());
        return rotary(g["x"], table, g.number("first"), pairs_named(g.word("pairs")));
    });
}

TEST_CASE("rotary: products depend on the distance alone, and lengths stay",
          "[ops][positions][devices][row:eq-rope/a][row:eq-rope/d]") {
    const Device device = GENERATE(from_range(devices()));
    const RotaryPairs pairs = GENERATE(RotaryPairs::neighbours, RotaryPairs::halves);
    const Tensor table = rotary_table(64, 8, 10000, device);
    Generator random(2);
    const Tensor q = random.normal({1, 8}, 0, 1, device), k = random.normal({1, 8}, 0, 1, device);
    const auto product = [&](Index m, Index n) {
        const std::vector<double> a = doubles(rotary(q, table, m, pairs)), b = doubles(rotary(k, table, n, pairs));
        double total = 0;
        for (std::size_t i = 0; i < 8; ++i) total += a[i] * b[i];
        return total;
    };
    for (const Index shift : {1, 17, 40}) CHECK(std::abs(product(3, 7) - product(3 + shift, 7 + shift)) <= 1e-5);
    CHECK(std::abs(product(3, 7) - product(3, 8)) > 1e-3);
    CHECK(rotary(q, table).values() == q.values());  // position 0 rotates nothing
}

TEST_CASE("positions: waves and turns, as the register has them",
          "[ops][positions][devices][row:eq-positional-encoding/b][row:eq-positional-encoding/c]"
          "[row:eq-positional-encoding/d][row:eq-positional-encoding/e][row:eq-rope/b]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor code = sinusoidal_positions(100, 16, device), products = matmul(code, transpose(code));
    for (Index shift = 0; shift < 100; shift += 7) {
        for (Index t = 0; t + shift < 100; ++t)
            CHECK(std::abs(products.at({t, t + shift}) - products.at({0, shift})) <= 1e-5);
        Tensor turn = zeros({16, 16}, device);  // the same rotation for every position
        for (Index i = 0; i < 8; ++i) {
            const double angle = double(shift) / std::pow(10000.0, double(i) / 8);
            for (const Index k : {2 * i, 2 * i + 1}) turn.set({k, k}, Real(std::cos(angle)));
            turn.set({2 * i, 2 * i + 1}, Real(-std::sin(angle))), turn.set({2 * i + 1, 2 * i}, Real(std::sin(angle)));
        }
        CHECK(close(matmul(slice(code, 0, 0, 100 - shift), turn), doubles(slice(code, 0, shift, 100)), 5e-6));
    }
    const std::vector<Real> all = sinusoidal_positions(10'000, 16, device).values();
    std::vector<std::vector<Real>> rows;
    for (std::size_t t = 0; t < 10'000; ++t) rows.emplace_back(&all[16 * t], &all[16 * t] + 16);
    std::ranges::sort(rows);
    CHECK(std::ranges::adjacent_find(rows) == rows.end());
    const Tensor q = Generator(14).normal({50, 16}, 0, 1, device);
    const std::vector<double> before = doubles(norm(q, {1})),
                              after = doubles(norm(rotary(q, rotary_table(50, 16, 10000, device)), {1}));
    for (std::size_t t = 0; t < 50; ++t) CHECK(std::abs(after[t] / before[t] - 1) <= 1e-6);
}

TEST_CASE("rotary: empty tensors, and the same bits for any number of threads", "[ops][positions]") {
    CHECK(rotary(empty({0, 4}), rotary_table(0, 4)).shape() == Shape{0, 4});
    CHECK(rotary(empty({3, 0}), rotary_table(3, 4)).shape() == Shape{3, 0});
    CHECK(rotary(empty({3, 0}), rotary_table(3, 0)).shape() == Shape{3, 0});
    const Tensor x = Generator(3).normal({8, 100, 64}), table = rotary_table(100, 32);
    const int before = threads();
    set_threads(1);
    const Tensor one = rotary(x, table);
    for (const int n : {2, 4}) {
        set_threads(n);
        CHECK(same_bits(rotary(x, table), one));
    }
    set_threads(before);
}

GRADIENT_TEST("rotary", "[row:eq-rope/c]") {
    check_gradient(
        [](const Inputs& x) {
            return rotary(x[0], rotary_table(10, 4, 100, x[0].device()), 1,
                          x[0].size(-2) % 2 ? RotaryPairs::halves : RotaryPairs::neighbours);
        },
        [](Generator& random) {
            const Index time = random.next_integer(1, 6), heads = random.next_integer(1, 4);
            if (random.next_uniform() < 0.1) return Inputs{random.normal({2, 128 + random.next_integer(0, 2) * 4})};
            return Inputs{random.normal({random.next_integer(1, 4), time, 4 * heads})};
        });
}

TEST_CASE("positions: messages", "[ops][positions]") {
    const Tensor table = rotary_table(5, 4);
    CHECK_THROWS_WITH(sinusoidal_positions(-1, 2), "sinusoidal_positions: wanted sizes of at least 0, got -1 and 2");
    CHECK_THROWS_WITH(rotary_table(5, 3), "rotary_table: wanted a length of at least 0 and an even width, got 5 and 3");
    CHECK_THROWS_WITH(rotary_table(5, 4, not_a_number), "rotary_table: wanted a positive base, got nan");
    CHECK_THROWS_WITH(rotary_table(5, 4, 0), "rotary_table: wanted a positive base, got 0");
    CHECK_THROWS_WITH(rotary_table(-1, 4),
                      "rotary_table: wanted a length of at least 0 and an even width, got -1 and 4");
    CHECK_THROWS_WITH(rotary(ones({4}), table), "rotary: wanted (..., time, width), got shape (4)");
    CHECK_THROWS_WITH(rotary(ones({2, 6}), table), "rotary: a table for heads of 4 wants a multiple, got shape (2, 6)");
    CHECK_THROWS_WITH(rotary(ones({2, 4}), ones({3})), "rotary: wanted a table from rotary_table(), got shape (3)");
    CHECK_THROWS_WITH(
        rotary(ones({6, 4}), table),
        "rotary: a table of shape (5, 4) wants positions from 0 to below 5, got 6 from 0 for shape (6, 4)");
    CHECK_THROWS_WITH(
        rotary(ones({2, 4}), table, 4),
        "rotary: a table of shape (5, 4) wants positions from 0 to below 5, got 2 from 4 for shape (2, 4)");
    CHECK_THROWS_WITH(
        rotary(ones({2, 4}), table, -1),
        "rotary: a table of shape (5, 4) wants positions from 0 to below 5, got 2 from -1 for shape (2, 4)");
    CHECK_THROWS_WITH(rotary(ones({2, 4}, Device::sim), table), "rotary: wanted both on one device, got sim and cpu");
}
