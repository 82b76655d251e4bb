#include <recto/ops/reductions/reduce.hpp>

#include <algorithm>
#include <cmath>

#include <recto/device/threads.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;

/// The numbers that each result reduces: those that share their position along the remaining axes, in row-major order.
std::vector<std::vector<double>> groups(const Tensor& x, const std::vector<bool>& reduced) {
    Index count = 1;
    for (int axis = 0; axis < x.dim(); ++axis) count *= reduced[std::size_t(axis)] ? 1 : x.shape()[axis];
    std::vector<std::vector<double>> found(static_cast<std::size_t>(count));
    const std::vector<double> values = doubles(x);
    for (Index i = 0; i < x.numel(); ++i) {
        Index rest = i, at = 0, step = 1;
        for (int axis = x.dim() - 1; axis >= 0; --axis) {
            const Index n = x.shape()[axis], place = rest % n;
            rest /= n;
            if (reduced[std::size_t(axis)]) continue;
            at += place * step;
            step *= n;
        }
        found[std::size_t(at)].push_back(values[std::size_t(i)]);
    }
    return found;
}

double total(const std::vector<double>& v) {
    double s = 0;
    for (const double a : v) s += a;
    return s;
}
double largest(const std::vector<double>& v) {
    double m = v.at(0);
    for (const double a : v) m = std::max(m, a);
    return m;
}
double smallest(const std::vector<double>& v) { return *std::ranges::min_element(v); }
double log_sum(const std::vector<double>& v) {
    const double m = largest(v);
    double s = 0;
    for (const double a : v) s += std::exp(a - m);
    return m + std::log(s);
}

/// Numbers at least 0.01 apart, so that a small step leaves the largest number the largest.
[[maybe_unused]] Inputs apart(Generator& random) {
    const Shape shape = random_shape(random, 3, 3);
    Values values;
    for (const Index place : random.permutation(shape.numel())) values.push_back(Real(place) * Real(0.01));
    return {Tensor(shape, values)};
}
[[maybe_unused]] Inputs normal3(Generator& random) { return {random.normal(random_shape(random, 3, 3))}; }

/// The matrix on the slides, and the sums of its rows printed there.
const Tensor printed({7, 7}, {Real(1.2555),  Real(0.6821),  Real(0.9131),  Real(-0.7238), Real(0.5636),  Real(-2.8689),
                              Real(-0.4744), Real(2.1393),  Real(-0.8737), Real(2.4039),  Real(0.0056),  Real(0.6169),
                              Real(-0.2245), Real(-0.2242), Real(0.1821),  Real(-0.4250), Real(-0.1115), Real(-0.3568),
                              Real(-2.2182), Real(0.9574),  Real(1.9415),  Real(-0.2646), Real(1.7013),  Real(-2.7297),
                              Real(0.3786),  Real(-1.7883), Real(0.8484),  Real(-0.1894), Real(-0.5430), Real(-0.2352),
                              Real(0.4820),  Real(-0.0737), Real(0.8632),  Real(0.1648),  Real(1.1864),  Real(1.3596),
                              Real(-0.6411), Real(2.9097),  Real(0.9422),  Real(-0.0167), Real(-0.1453), Real(-0.6059),
                              Real(-0.4946), Real(0.2705),  Real(0.5348),  Real(-1.8176), Real(-1.3861), Real(-1.0276),
                              Real(-1.0050)});
const double printed_sums[] = {-0.6527, 3.8434, -0.0306, -2.0437, 1.8446, 3.8025, -4.9256};

}  // namespace

TEST_CASE("reduce: definition along every choice of axes", "[ops][reduce][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{1, 1, 1}, Shape{4, 3, 5}, Shape{2, 127, 3}, Shape{128, 2, 2}, Shape{3, 2, 129},
                                 Shape{70, 3, 130}, Shape{2, 5000, 1}, Shape{2, 2, 4097}, Shape{200, 1, 2100});
    CAPTURE(device, shape);
    const Tensor x = Generator(3).normal(shape, 1, 2, device);
    const std::initializer_list<int> choices[] = {{}, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {-1, 0, 1}};
    for (const auto& axes : choices) {
        std::vector<bool> reduced(3);
        Shape kept = shape, gone;
        for (const int axis : axes) reduced[std::size_t(shape.axis(axis))] = true, kept = kept.with(axis, 1);
        std::vector<Index> left;
        for (int i = 0; i < 3; ++i)
            if (!reduced[std::size_t(i)]) left.push_back(shape[i]);
        gone = Shape(std::span<const Index>(left));
        std::vector<double> sums, means, maxima, minima, logs;
        for (const auto& group : groups(x, reduced)) {
            sums.push_back(total(group));
            means.push_back(total(group) / double(group.size()));
            maxima.push_back(largest(group));
            minima.push_back(smallest(group));
            logs.push_back(log_sum(group));
        }
        CAPTURE(kept);
        const double loose = usual * std::max(1.0, std::sqrt(double(shape.numel())));
        CHECK(sum(x, axes).shape() == gone);
        CHECK(sum(x, axes, Keep::yes).shape() == kept);
        CHECK(mean(x, axes).shape() == gone);
        CHECK(max(x, axes, Keep::yes).shape() == kept);
        CHECK(logsumexp(x, axes, Keep::yes).shape() == kept);
        CHECK(close(sum(x, axes), sums, loose));
        CHECK(close(mean(x, axes, Keep::yes), means));
        CHECK(close(max(x, axes), maxima, 0));
        CHECK(close(min(x, axes), minima, 0));
        CHECK(close(logsumexp(x, axes), logs, usual * 4));
    }
    CHECK(close(sum(x), {total(doubles(x))}, usual * std::sqrt(double(shape.numel()))));
    CHECK(mean(x).shape() == Shape{});
    CHECK(max(x).item() == Real(largest(doubles(x))));
    CHECK(close(logsumexp(x), {log_sum(doubles(x))}));
}

TEST_CASE("reduce: axes that are computed", "[ops][reduce][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = Generator(8).normal({3, 4, 5}, 0, 1, device);
    std::vector<int> axes;  // all axes except one, for any number of axes
    for (int axis = 0; axis < x.dim(); ++axis)
        if (axis != 1) axes.push_back(axis - x.dim());
    CHECK(same_bits(sum(x, axes), sum(x, {0, 2})));
    CHECK(same_bits(mean(x, axes, Keep::yes), mean(x, {0, 2}, Keep::yes)));
    CHECK(same_bits(max(x, axes), max(x, {0, 2})));
    CHECK(same_bits(min(x, axes), min(x, {0, 2})));
    CHECK(same_bits(logsumexp(x, std::span<const int>(axes)), logsumexp(x, {0, 2})));
    CHECK(same_bits(sum(x, std::vector<int>()), x));
}

TEST_CASE("reduce: argmax finds the first largest", "[ops][reduce][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x({2, 3}, {1, 5, 5, 7, 0, 7}, device);
    CHECK(argmax(x).values() == std::vector<Index>{1, 0});
    CHECK(argmax(x, 0).values() == std::vector<Index>{1, 0, 1});
    CHECK(argmax(transpose(x), 0).values() == std::vector<Index>{1, 0});
    CHECK(argmin(x).values() == std::vector<Index>{0, 1});
    CHECK(argmin(x, 0).values() == std::vector<Index>{0, 1, 0});
    CHECK(argmin(Tensor({3}, {1, not_a_number, -9}, device)).values() == std::vector<Index>{1});
    CHECK(argmin(Tensor({3}, {2, 1, 1}, device)).values() == std::vector<Index>{1});
    CHECK(argmin(full({4}, infinity, device)).values() == std::vector<Index>{0});
    CHECK(argmax(x).device() == device);
    CHECK(argmax(Tensor({3}, {1, not_a_number, 9}, device)).values() == std::vector<Index>{1});
    CHECK(argmax(full({4}, -infinity, device)).values() == std::vector<Index>{0});
    CHECK(argmax(empty({0, 3}, device)).shape() == Shape{0});
    const Tensor wide = Generator(4).normal({5, 129, 3}, 0, 1, device);
    const std::vector<Index> found = argmax(wide, 1).values();
    const auto want = groups(wide, {false, true, false});
    for (std::size_t i = 0; i < want.size(); ++i)
        CHECK(found[i] == std::ranges::max_element(want[i]) - want[i].begin());
    const std::vector<Index> lowest = argmin(wide, 1).values();
    for (std::size_t i = 0; i < want.size(); ++i)
        CHECK(lowest[i] == std::ranges::min_element(want[i]) - want[i].begin());
}

TEST_CASE("reduce: edges", "[ops][reduce][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    CHECK(sum(empty({0}, device)).item() == 0);
    CHECK(sum(empty({2, 0}, device), {1}).values() == Values{0, 0});
    CHECK(sum(empty({2, 0}, device), {0}).shape() == Shape{0});
    CHECK(std::isnan(mean(empty({0}, device)).item()));
    CHECK(logsumexp(empty({0}, device)).item() == -infinity);
    CHECK(logsumexp(empty({2, 0}, device), {1}).values() == Values(2, -infinity));
    CHECK(sum(empty({0, 2}, device), {0}).values() == Values{0, 0});
    CHECK(max(empty({3, 0}, device), {0}).shape() == Shape{0});
    CHECK(max(empty({0, 3}, device), {1}).shape() == Shape{0});
    CHECK(sum(Tensor({}, {3}, device)).item() == 3);
    CHECK(std::isnan(sum(Tensor({3}, {1, not_a_number, 2}, device)).item()));
    CHECK(std::isnan(max(Tensor({3}, {1, not_a_number, 2}, device)).item()));
    CHECK(std::isnan(min(Tensor({3}, {1, not_a_number, 2}, device)).item()));
    CHECK(std::isnan(min(Tensor({3, 2}, {1, 1, not_a_number, 1, 2, 1}, device), {0}).values()[0]));
    CHECK(min(Tensor({2}, {infinity, -infinity}, device)).item() == -infinity);
    CHECK(std::isnan(max(Tensor({3, 2}, {1, 1, not_a_number, 1, 2, 1}, device), {0}).values()[0]));
    CHECK(std::isnan(logsumexp(Tensor({3}, {1, not_a_number, 2}, device)).item()));
    const Tensor none = full({2}, -infinity, device).requires_grad_();
    CHECK(logsumexp(none).item() == -infinity);
    logsumexp(none).backward();
    for (const Real v : none.grad().values()) CHECK(std::isnan(v));
    CHECK(logsumexp(Tensor({2}, {1, infinity}, device)).item() == infinity);
    CHECK(close(logsumexp(Tensor({2}, {1000, 1000}, device)), {1000 + std::log(2.0)}));
    CHECK(sum(transpose(Tensor({2, 2}, {1, 2, 3, 4}, device)), {1}).values() == Values{4, 6});
}

TEST_CASE("reduce: long sums keep their digits", "[ops][reduce][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CHECK(mean(expand(ones({1}, device), {1 << 22})).item() == 1);
    CHECK(close(mean(full({1 << 22}, Real(0.1), device)), {double(Real(0.1))}, usual));
    CHECK(close(mean(full({1 << 18, 3}, Real(0.1), device), {0}), std::vector<double>(3, double(Real(0.1))), usual));
}

TEST_CASE("reduce: the same bits for any number of threads", "[ops][reduce][threads]") {
    Values values = Generator(5).normal({315'000}).values();
    for (Real& v : values) v /= 3;  // uses all digits
    // Exact sums are 0, so that only rounding remains.
    for (std::size_t i = 315'000; i-- > 0;) values.push_back(-values[i]);
    const Tensor x({70, 3000, 3}, values);
    const int before = threads();
    std::vector<Values> first;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        const std::vector<Values> now{sum(x).values(),         mean(x, {1}).values(), sum(x, {0}).values(),
                                      sum(x, {0, 2}).values(), logsumexp(x).values(), max(x, {0, 1}).values()};
        if (first.empty()) first = now;
        CHECK(now == first);
    }
    set_threads(before);
}

TEST_CASE("reduce: the largest gets all of the gradient, the first of several", "[ops][reduce][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = Tensor({2, 3}, {1, 5, 5, 5, 0, 2}, device).requires_grad_();
    max(x).backward();
    CHECK(x.grad().values() == Values{0, 1, 0, 0, 0, 0});
    x.zero_grad();
    sum(max(x, {0})).backward();
    CHECK(x.grad().values() == Values{0, 1, 1, 1, 0, 0});
    x.zero_grad();
    min(Tensor(x)).backward();
    CHECK(x.grad().values() == Values{0, 0, 0, 0, 1, 0});
}

TEST_CASE("reduce: the row sums of the printed matrix",
          "[ops][reduce][devices][row:sys-elementwise-reduce-broadcast/a]") {
    const Device device = GENERATE(from_range(devices()));
    CHECK(close(sum(printed.to(device), {1}), {std::begin(printed_sums), std::end(printed_sums)}, 0) ==
          false);  // rounded
    const Values got = sum(printed.to(device), {1}).values();
    for (std::size_t i = 0; i < 7; ++i) CHECK(std::abs(double(got[i]) - printed_sums[i]) <= 1.5e-4);
}

TEST_CASE("reduce: agrees with PyTorch", "[ops][reduce][golden][devices]") {
    check_golden("reduce", [](const Golden& g) {
        const auto reduced = [&](auto f) {
            const std::string& axes = g.word("axes");
            return axes == "last" ? f({-1}) : axes == "first" ? f({0}) : axes == "outer" ? f({0, 2}) : f({0, 1, 2});
        };
        const Tensor& x = g["x"];
        using Axes = std::initializer_list<int>;
        if (g.word("op") == "sum") return reduced([&](Axes axes) { return sum(x, axes); });
        if (g.word("op") == "mean") return reduced([&](Axes axes) { return mean(x, axes); });
        if (g.word("op") == "max") return reduced([&](Axes axes) { return max(x, axes); });
        if (g.word("op") == "min") return reduced([&](Axes axes) { return min(x, axes); });
        if (g.word("op") == "logsumexp") return reduced([&](Axes axes) { return logsumexp(x, axes); });
        if (g.word("op") == "norm") return reduced([&](Axes axes) { return norm(x, axes); });
        return reduced([&](Axes axes) { return variance(x, axes, int(g.number("correction"))); });
    });
}

TEST_CASE("sum_to: what broadcasting does, backwards", "[ops][reduce][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x({2, 3}, {1, 2, 3, 4, 5, 6}, device);
    CHECK(sum_to(x, {2, 3}).values() == x.values());
    CHECK(sum_to(x, {3}).values() == Values{5, 7, 9});
    CHECK(sum_to(x, {2, 1}).values() == Values{6, 15});
    CHECK(sum_to(x, {}).values() == Values{21});
    CHECK(sum_to(x, {1, 1}).shape() == Shape{1, 1});
    CHECK(sum_to(empty({0, 3}, device), {3}).values() == Values{0, 0, 0});
}

GRADIENT_TEST("sum") {
    check_gradient([](const Tensor& x) { return sum(x, {-1}); });
    check_gradient([](const Inputs& x) { return sum(x[0], {0, 2}, Keep::yes); }, normal3);
    check_gradient([](const Inputs& x) { return sum_to(x[0], {x[0].size(1), 1}); }, normal3, 8);
}
GRADIENT_TEST("mean") {
    check_gradient([](const Tensor& x) { return mean(x); });
    check_gradient([](const Inputs& x) { return mean(x[0], {1}); }, normal3);
}
GRADIENT_TEST("max") {
    check_gradient([](const Inputs& x) { return max(x[0], {1}); }, apart);
    check_gradient([](const Inputs& x) { return max(x[0], {0, 2}, Keep::yes); }, apart);
}
GRADIENT_TEST("min") {
    check_gradient([](const Inputs& x) { return min(x[0], {1}); }, apart);
    check_gradient([](const Inputs& x) { return min(x[0], {0, 2}, Keep::yes); }, apart);
}
GRADIENT_TEST("logsumexp") {
    check_gradient([](const Tensor& x) { return logsumexp(x, {0}); });
    check_gradient([](const Inputs& x) { return logsumexp(x[0], {0, 2}, Keep::yes); }, normal3);
}

TEST_CASE("reduce: messages", "[ops][reduce]") {
    CHECK_THROWS_WITH(sum(ones({2, 3}), {2}), "sum: axis 2 is not there in shape (2, 3)");
    CHECK_THROWS_WITH(mean(ones({2, 3}), {1, -1}), "mean: axis -1 is named twice for shape (2, 3)");
    CHECK_THROWS_WITH(min(ones({2, 3}), std::vector{0, -3}), "min: axis -3 is not there in shape (2, 3)");
    CHECK_THROWS_WITH(logsumexp(ones({2, 3}), std::vector{0, -2}),
                      "logsumexp: axis -2 is named twice for shape (2, 3)");
    CHECK_THROWS_WITH(sum(Tensor(), {0}), "sum: wanted a tensor, got an undefined one");
    CHECK_THROWS_WITH(max(empty({2, 0}), {1}), "max: wanted at least one number along axis 1, got shape (2, 0)");
    CHECK_THROWS_WITH(max(empty({0})), "max: wanted at least one number along axis 0, got shape (0)");
    CHECK_THROWS_WITH(min(empty({2, 0}), {1}), "min: wanted at least one number along axis 1, got shape (2, 0)");
    CHECK_THROWS_WITH(argmin(empty({2, 0})), "argmin: wanted at least one number along axis 1, got shape (2, 0)");
    CHECK_THROWS_WITH(argmax(empty({2, 0})), "argmax: wanted at least one number along axis 1, got shape (2, 0)");
    CHECK_THROWS_WITH(argmax(ones({2}), 1), "argmax: wanted an axis from -1 to 0 of shape (2), got 1");
    CHECK_THROWS_WITH(sum_to(ones({2, 3}), {2}), "sum_to: shapes (2) and (2, 3) do not stretch to one another");
    CHECK_THROWS_WITH(sum_to(ones({2, 1}), {2, 3}), "sum_to: wanted a shape that stretches to (2, 1), got (2, 3)");
}
