#include <recto/ops/sequences/affine_scan.hpp>

#include <algorithm>
#include <cmath>

#include <recto/device/threads.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
using Values = std::vector<Real>;

/// The results step by step, forward and backward.
struct Sequential {
    std::vector<double> y, da, db, dstart;
    Sequential(const Tensor& a, const Tensor& b, const Tensor& start, const Tensor& dy)
        : y(std::size_t(a.numel())), da(y.size()), db(y.size()) {
        const std::size_t time = std::size_t(a.size(-2)), width = std::size_t(a.size(-1));
        const std::vector<double> f = doubles(a), t = doubles(b), g = doubles(dy),
                                  s = start.defined() ? doubles(start) : std::vector<double>();
        dstart.resize(s.size());
        for (std::size_t n = 0; time > 0 && n < y.size() / (time * width); ++n)
            for (std::size_t j = 0; j < width; ++j) {
                const auto at = [&](std::size_t i) { return (n * time + i) * width + j; };
                const bool has = start.defined();
                for (std::size_t i = 0; i < time; ++i) {
                    const double before = i > 0 ? y[at(i - 1)] : has ? s[n * width + j] : 0;
                    y[at(i)] = f[at(i)] * before + t[at(i)];
                }
                for (std::size_t i = time; i-- > 0;) {
                    db[at(i)] = g[at(i)] + (i + 1 < time ? f[at(i + 1)] * db[at(i + 1)] : 0);
                    da[at(i)] = db[at(i)] * (i > 0 ? y[at(i - 1)] : has ? s[n * width + j] : 0);
                }
                if (has) dstart[n * width + j] = f[at(0)] * db[at(0)];
            }
    }
};
}  // namespace

TEST_CASE("affine_scan: a step at a time, forward and backward",
          "[ops][affine_scan][devices][row:sys-parallel-scan/b]") {
    const Device device = GENERATE(from_range(devices()));
    // One block and several, with remainders; numbers of channels near a team and beyond a strip.
    const Shape shape =
        GENERATE(Shape{1, 1}, Shape{3, 4, 2}, Shape{2, 2, 3, 1}, Shape{9, 600, 3}, Shape{511, 2}, Shape{512, 3},
                 Shape{2, 513, 127}, Shape{1, 1300, 129}, Shape{20, 128}, Shape{2, 530, 513});
    const bool started = GENERATE(false, true);
    CAPTURE(device, shape, started);
    Generator random(1);
    const Tensor a = random.uniform(shape, -1, 1, device).requires_grad_(),
                 b = random.normal(shape, 0, 1, device).requires_grad_(),
                 start = started ? random.normal(shape.without(-2), 0, 1, device).requires_grad_() : Tensor(),
                 dy = random.normal(shape, 0, 1, device);
    const Sequential want(a, b, start, dy);
    const Tensor y = affine_scan(a, b, start);
    CHECK(y.shape() == shape);
    CHECK(close(y, want.y, 4 * usual));
    sum(y * dy).backward();
    CHECK(close(a.grad(), want.da, 8 * usual));
    CHECK(close(b.grad(), want.db, 4 * usual));
    if (started) CHECK(close(start.grad(), want.dstart, 4 * usual));
    const auto turn = [](const Tensor& x) { return transpose(contiguous(transpose(x))); };
    CHECK(same_bits(affine_scan(turn(a), turn(b), start), y));
}

TEST_CASE("affine_scan: gradients as through a loop", "[ops][affine_scan][devices][row:sys-parallel-scan/d]") {
    const Device device = GENERATE(from_range(devices()));
    const Index time = GENERATE(7, 600);
    Generator random(3);
    const Tensor a = random.uniform({time, 3}, -1, 1, device), b = random.normal({time, 3}, 0, 1, device),
                 dy = random.normal({time, 3}, 0, 1, device);
    const auto gradients = [&](const auto& scan) {
        const Tensor u = clone(a).requires_grad_(), v = clone(b).requires_grad_();
        sum(scan(u, v) * dy).backward();
        return std::pair(doubles(u.grad()), doubles(v.grad()));
    };
    const auto loop = [&](const Tensor& u, const Tensor& v) {
        std::vector<Tensor> states{select(v, 0, 0)};
        for (Index t = 1; t < time; ++t) states.push_back(select(u, 0, t) * states.back() + select(v, 0, t));
        return stack(states) + 0. * u;  // the first coefficient has the gradient 0
    };
    const auto got = gradients([](const Tensor& u, const Tensor& v) { return affine_scan(u, v); });
    const auto want = gradients(loop);
    for (const auto& [g, w] : {std::pair(got.first, want.first), std::pair(got.second, want.second)}) {
        double largest = 0, gap = 0;
        for (std::size_t i = 0; i < w.size(); ++i)
            largest = std::max(largest, std::abs(w[i])), gap = std::max(gap, std::abs(g[i] - w[i]));
        CHECK(gap <= 1e-5 * largest);
    }
}

TEST_CASE("affine_scan: exact on integers", "[ops][exact][affine_scan][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{700, 3}, Shape{9, 50, 2});
    Generator random(2);
    const auto whole = [&](Index low, Index high) {
        Values values;
        for (const Index v : random.integers(shape, low, high).values()) values.push_back(Real(v));
        return Tensor(shape, values, device);
    };
    const Tensor a = whole(-1, 2), b = whole(-9, 10);
    CHECK(close(affine_scan(a, b), Sequential(a, b, Tensor(), b).y, 0));
    CHECK(close(affine_scan(ones(shape, device), b), Sequential(ones(shape), b, Tensor(), b).y, 0));  // running sums
}

TEST_CASE("affine_scan: agrees with PyTorch", "[ops][affine_scan][golden][devices][row:sys-parallel-scan/e]") {
    check_golden("affine_scan",
                 [](const Golden& g) { return affine_scan(g["a"], g["b"], g.has("h0") ? g["h0"] : Tensor()); });
}

TEST_CASE("affine_scan: edges", "[ops][affine_scan][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    for (const Shape& shape : {Shape{0, 3}, Shape{2, 0, 3}, Shape{0, 4, 3}, Shape{2, 4, 0}, Shape{1000, 0}}) {
        CAPTURE(shape);
        const Tensor a = empty(shape, device).requires_grad_(), h = zeros(shape.without(-2), device).requires_grad_();
        const Tensor y = affine_scan(a, a, h);
        CHECK(y.shape() == shape);
        sum(y).backward();
        CHECK(h.grad().values() == Values(std::size_t(h.numel()), 0));
    }
    // Without an initial state, the first coefficient has no effect.
    CHECK(affine_scan(Tensor({2, 1}, {not_a_number, 2}, device), Tensor({2, 1}, {3, 4}, device)).values() ==
          Values{3, 10});
    const Tensor odd = affine_scan(ones({3, 1}, device), Tensor({3, 1}, {1, not_a_number, 1}, device));
    CHECK(odd.values()[0] == 1);
    CHECK(std::isnan(odd.values()[2]));
    CHECK(affine_scan(zeros({600, 1}, device), ones({600, 1}, device)).values() == Values(600, 1));
    // The product of a block's coefficients overflows, but the state it multiplies is still 0.
    CHECK(affine_scan(full({600, 1}, Real(1e30), device), zeros({600, 1}, device)).values() == Values(600, 0));
}

TEST_CASE("affine_scan: the same bits for any number of threads", "[ops][affine_scan]") {
    const Shape shape = GENERATE(Shape{2, 2000, 100}, Shape{40, 300, 8});
    Generator random(3);
    const Tensor a = random.uniform(shape, -1, 1), b = random.normal(shape), dy = random.normal(shape);
    const int before = threads();
    std::vector<std::vector<Values>> found;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        const Tensor f = clone(a).requires_grad_(), t = clone(b).requires_grad_(), y = affine_scan(f, t);
        sum(y * dy).backward();
        found.push_back({y.values(), f.grad().values(), t.grad().values()});
    }
    set_threads(before);
    CHECK(found[0] == found[1]);
    CHECK(found[0] == found[2]);
}

GRADIENT_TEST("affine_scan") {
    check_gradient(
        [](const Inputs& x) { return affine_scan(x[0], x[1], x.size() > 2 ? x[2] : Tensor()); },
        [](Generator& random) {
            Shape shape = random_shape(random, 2, 3);
            if (shape.size(-2) < 2) shape = shape.with(-2, 2);
            return Inputs{random.uniform(shape, -1, 1), random.normal(shape), random.normal(shape.without(-2))};
        });
    check_gradient([](const Inputs& x) { return affine_scan(x[0], x[1]); },
                   [](Generator& random) {
                       return Inputs{random.uniform({3, 2}, -1, 1), random.normal({3, 2})};
                   },
                   8);
    check_gradient(
        [](const Inputs& x) {
            return slice(affine_scan(x[0], expand(x[1], {600, 1})), 0, 590, 600);
        },
        [](Generator& random) {
            return Inputs{random.uniform({600, 1}, Real(0.5), 1), random.normal({1, 1})};
        },
        1);
}

TEST_CASE("affine_scan: messages", "[ops][affine_scan]") {
    CHECK_THROWS_WITH(affine_scan(ones({3}), ones({3})),
                      "affine_scan: wanted two of one shape (..., time, channels), got shapes (3) and (3)");
    CHECK_THROWS_WITH(affine_scan(ones({3, 2}), ones({3, 1})),
                      "affine_scan: wanted two of one shape (..., time, channels), got shapes (3, 2) and (3, 1)");
    CHECK_THROWS_WITH(affine_scan(ones({3, 2}), ones({3, 2}), ones({3})),
                      "affine_scan: wanted a first state of shape (2), got (3)");
    CHECK_THROWS_WITH(affine_scan(ones({3, 2}), ones({3, 2}, Device::sim)),
                      "affine_scan: wanted all on one device, got cpu, sim and cpu");
}
