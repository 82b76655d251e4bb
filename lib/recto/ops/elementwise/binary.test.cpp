#include <recto/ops/elementwise/binary.hpp>

#include <cmath>

#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;

struct Case {
    const char* name;
    Tensor (*op)(const Tensor&, const Tensor&);
    Real (*definition)(Real, Real);
};
const Case cases[] = {
    {"add", add, [](Real a, Real b) { return a + b; }},
    {"sub", sub, [](Real a, Real b) { return a - b; }},
    {"mul", mul, [](Real a, Real b) { return a * b; }},
    {"div", div, [](Real a, Real b) { return a / b; }},
    {"maximum", maximum, [](Real a, Real b) { return a > b ? a : b; }},
    {"minimum", minimum, [](Real a, Real b) { return a < b ? a : b; }},
};

/// Two shapes that broadcast to a common one: some of its axes set to 1 or omitted at the front.
std::pair<Shape, Shape> random_pair(Generator& random) {
    const Shape whole = random_shape(random, 0, 5);
    const auto shrink = [&] {
        std::vector<Index> extents(whole.begin(), whole.end());
        for (Index& n : extents)
            if (random.next_uniform() < 0.4) n = 1;
        const auto gone = std::ptrdiff_t(random.next_integer(0, whole.dim() + 1)) / 2;
        return Shape(std::span<const Index>(extents).subspan(std::size_t(gone)));
    };
    const Shape a = shrink();
    return {a, random.next_uniform() < 0.2 ? whole : shrink()};
}

/// The definition of broadcasting, one element at a time, each index computed by division.
std::vector<double> oracle(const Tensor& a, const Tensor& b, const Shape& shape, Real (*f)(Real, Real)) {
    const Values va = a.values(), vb = b.values();
    std::vector<double> y;
    for (Index i = 0; i < shape.numel(); ++i) {
        const auto read = [&](const Shape& s, const Values& v) {
            Index at = 0, rest = i, step = 1;
            for (int axis = 1; axis <= shape.dim(); ++axis) {
                const Index place = rest % shape[shape.dim() - axis];
                rest /= shape[shape.dim() - axis];
                if (axis > s.dim()) continue;
                if (s[s.dim() - axis] != 1) at += place * step;
                step *= s[s.dim() - axis];
            }
            return v[std::size_t(at)];
        };
        y.push_back(double(f(read(a.shape(), va), read(b.shape(), vb))));
    }
    return y;
}

/// Random inputs of random shapes that can be broadcast; no two numbers closer than 0.01, none near 0.
[[maybe_unused]] Inputs apart(Generator& random) {
    const auto [s, t] = random_pair(random);
    const auto order = random.permutation(s.numel() + t.numel());
    Values values;
    for (const Index place : order) {
        const Real v = Real(0.5) + Real(place) * Real(0.01);
        values.push_back(place % 2 ? v : -v);
    }
    const auto middle = std::size_t(s.numel());
    return {Tensor(s, std::span(values).first(middle)), Tensor(t, std::span(values).subspan(middle))};
}

[[maybe_unused]] void check_gradient_of(Tensor (*op)(const Tensor&, const Tensor&)) {
    check_gradient([op](const Inputs& x) { return op(x[0], x[1]); }, apart);
}

}  // namespace

TEST_CASE("binary: 100 random pairs of shapes agree with a naive loop",
          "[ops][binary][devices][row:sys-elementwise-reduce-broadcast/c][row:sys-elementwise-reduce-broadcast/b]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(7);
    for (int n = 0; n < 100; ++n) {
        const auto [s, t] = random_pair(random);
        CAPTURE(device, n, s, t);
        const Tensor a = random.normal(s, 0, 2, device), b = random.normal(t, 0, 2, device);
        for (const Case& c : cases) {
            const Tensor y = c.op(a, b);
            REQUIRE(y.shape() == broadcast(s, t, "test"));
            REQUIRE(close(y, oracle(a, b, y.shape(), c.definition), 0));
        }
    }
}

TEST_CASE("binary: shapes of every path", "[ops][binary][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const auto [s, t] = GENERATE(table<Shape, Shape>({{{0}, {1}},
                                                      {{3, 0}, {0}},
                                                      {{1}, {1}},
                                                      {{}, {}},
                                                      {{5000}, {}},
                                                      {{}, {5000}},
                                                      {{3, 5000}, {5000}},
                                                      {{3, 5000}, {3, 1}},
                                                      {{4, 127}, {127}},
                                                      {{4, 128}, {4, 128}},
                                                      {{129, 4}, {129, 1}},
                                                      {{4097}, {4097}},
                                                      {{2, 1, 3, 1}, {1, 4, 1, 5}},
                                                      {{20, 1}, {1, 30}}}));
    CAPTURE(device, s, t);
    const Tensor a = Generator(1).normal(s, 0, 1, device), b = Generator(2).normal(t, 0, 1, device);
    for (const Case& c : cases) {
        const Tensor y = c.op(a, b);
        CHECK(close(y, oracle(a, b, y.shape(), c.definition), 0));
    }
}

TEST_CASE("binary: views are read where they are", "[ops][binary][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = Generator(1).normal({6, 7, 5}, 0, 1, device);
    const Tensor a = slice(transpose(x, 0, 2), 1, 1, 7, 2), b = slice(transpose(x, 0, 2), 1, 0, 6, 2);
    for (const Case& c : cases) CHECK(same_bits(c.op(a, b), c.op(contiguous(a), contiguous(b))));
}

TEST_CASE("binary: numbers and operators", "[ops][binary][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor a({2}, {6, -3}, device), b({2}, {2, 4}, device);
    CHECK((a + b).values() == Values{8, 1});
    CHECK((a - b).values() == Values{4, -7});
    CHECK((a * b).values() == Values{12, -12});
    CHECK((a / b).values() == Values{3, -0.75});
    CHECK((-a).values() == Values{-6, 3});
    CHECK((a + 1).values() == Values{7, -2});
    CHECK((1 + a).values() == Values{7, -2});
    CHECK((a - 1).values() == Values{5, -4});
    CHECK((1 - a).values() == Values{-5, 4});
    CHECK((a * 0.5).values() == Values{3, -1.5});
    CHECK((2 * a).values() == Values{12, -6});
    CHECK((a / 3).values() == Values{2, -1});
    CHECK((12 / a).values() == Values{2, -4});
    CHECK(maximum(a, 0).values() == Values{6, 0});
    CHECK(minimum(a, 0).values() == Values{0, -3});
}

TEST_CASE("binary: NaN in either place wins", "[ops][binary][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor one({1}, {1}, device), bad({1}, {not_a_number}, device);
    for (const Case& c : cases) {
        CAPTURE(device, c.name);
        CHECK(std::isnan(c.op(one, bad).item()));
        CHECK(std::isnan(c.op(bad, one).item()));
    }
}

TEST_CASE("binary: where both are equal each gets half of the gradient", "[ops][binary][devices]") {
    const Device device = GENERATE(from_range(devices()));
    for (auto* op : {static_cast<Tensor (*)(const Tensor&, const Tensor&)>(maximum), minimum}) {
        const Tensor a = Tensor({}, {2}, device).requires_grad_(), b = Tensor({}, {2}, device).requires_grad_();
        op(a, b).backward();
        CHECK(a.grad().item() == 0.5);
        CHECK(b.grad().item() == 0.5);
    }
}

TEST_CASE("binary: the gradient goes to a NaN", "[ops][binary][devices]") {
    const Device device = GENERATE(from_range(devices()));
    for (auto* op : {static_cast<Tensor (*)(const Tensor&, const Tensor&)>(maximum), minimum}) {
        const Tensor a = Tensor({3}, {not_a_number, 1, not_a_number}, device).requires_grad_();
        const Tensor b = Tensor({3}, {1, not_a_number, not_a_number}, device).requires_grad_();
        sum(op(a, b)).backward();
        CHECK(a.grad().values() == Values{1, 0, 1});
        CHECK(b.grad().values() == Values{0, 1, 0});
    }
}

TEST_CASE("where: 100 random triples of shapes agree with two products", "[ops][binary][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(8);
    for (int n = 0; n < 100; ++n) {
        const auto [s, t] = random_pair(random);
        const auto whole = broadcast(s, t, "test");
        const Shape m = n % 3 == 0 ? whole : n % 3 == 1 ? s : Shape{};
        CAPTURE(device, n, s, t, m);
        const Tensor a = random.normal(s, 0, 1, device), b = random.normal(t, 0, 1, device);
        const Integers coins = random.integers(m, 0, 2, device);
        const Tensor mask = select(one_hot(coins, 2), -1, 1);  // a view with gaps
        const Tensor y = where(mask, a, b);
        REQUIRE(y.shape() == whole);
        REQUIRE(same_bits(y, mask * a + (1 - mask) * b));
        if (a.is_contiguous()) REQUIRE(same_bits(where(contiguous(mask), a, b), y));
    }
}

TEST_CASE("where: what is not taken leaves no trace", "[ops][binary][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor mask({4}, {0, 2, not_a_number, Real(-0.0)}, device), x({4}, {-1, 4, 9, 0}, device);
    const Tensor a = Tensor({4}, {-1, 4, 9, 0}, device).requires_grad_();
    const Tensor b = Tensor({}, {7}, device).requires_grad_();
    const Tensor y = where(mask, sqrt(a), b);
    CHECK(y.values() == Values{7, 2, 3, 7});
    sum(where(mask, a, b)).backward();
    CHECK(a.grad().values() == Values{0, 1, 1, 0});
    CHECK(b.grad().item() == 2);
    const Tensor below({2}, {-3, 0}, device), dense_a({2}, {1, 2}, device), dense_b({2}, {8, 9}, device);
    CHECK(where(below, dense_a, dense_b).values() == Values{1, 9});  // a mask may be negative
    CHECK(where(empty({0}, device), x.view({1}, {1}, 0), b).shape() == Shape{0});
}

TEST_CASE("binary: agrees with PyTorch", "[ops][binary][golden][devices]") {
    check_golden("binary", [](const Golden& g) {
        if (g.word("op") == "where") return where(g["mask"], g["a"], g["b"]);
        for (const Case& c : cases)
            if (c.name == g.word("op")) return c.op(g["a"], g["b"]);
        return Tensor();
    });
}

TEST_CASE("binary: one tensor on both sides", "[ops][binary][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = Tensor({}, {3}, device).requires_grad_();
    (x * x + x).backward();
    CHECK(x.grad().item() == 7);
}

GRADIENT_TEST("add") { check_gradient_of(add); }
GRADIENT_TEST("sub") { check_gradient_of(sub); }
GRADIENT_TEST("mul") { check_gradient_of(mul); }
GRADIENT_TEST("div") { check_gradient_of(div); }
GRADIENT_TEST("maximum") { check_gradient_of(maximum); }
GRADIENT_TEST("minimum") { check_gradient_of(minimum); }
GRADIENT_TEST("where") {
    check_gradient(
        [](const Inputs& x) {
            return where(Tensor({2, 1}, {0, 1}, x[0].device()), x[0], x[1]);
        },
        [](Generator& random) {
            const Index n = random.next_integer(1, 6);
            return Inputs{random.normal({random.next_integer(1, 3), n}), random.normal({n})};
        });
}

TEST_CASE("binary: messages", "[ops][binary]") {
    CHECK_THROWS_WITH(ones({2, 3}) + ones({2}), "add: shapes (2, 3) and (2) do not stretch to one another");
    CHECK_THROWS_WITH(minimum(ones({2}), ones({3})), "minimum: shapes (2) and (3) do not stretch to one another");
    CHECK_THROWS_WITH(ones({2}) * ones({2}, Device::sim), "mul: wanted both on one device, got cpu and sim");
    CHECK_THROWS_WITH(where(ones({3}), ones({2}), ones({1})),
                      "where: shapes (3) and (2) do not stretch to one another");
    CHECK_THROWS_WITH(where(ones({2}, Device::sim), ones({2}), ones({2})),
                      "where: wanted all on one device, got sim, cpu and cpu");
}
