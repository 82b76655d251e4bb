#include <recto/ops/reductions/variance.hpp>

#include <cmath>

#include <recto/device/threads.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;

struct Want {
    double variance, norm;
};
/// Both definitions in double, of n numbers from `at` on with distance `step`.
Want oracle(const std::vector<double>& x, std::size_t at, std::size_t n, std::size_t step, int correction) {
    double mean = 0, squares = 0, spread = 0;
    for (std::size_t i = 0; i < n; ++i) mean += x[at + i * step] / double(n), squares += std::pow(x[at + i * step], 2);
    for (std::size_t i = 0; i < n; ++i) spread += std::pow(x[at + i * step] - mean, 2);
    return {spread / double(int(n) - correction), std::sqrt(squares)};
}

}  // namespace

TEST_CASE("variance: definition of variance and norm", "[ops][variance][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{2, 2, 2}, Shape{4, 3, 5}, Shape{2, 127, 3}, Shape{128, 2, 2}, Shape{3, 2, 129},
                                 Shape{2, 5000, 1}, Shape{70, 3, 130});
    const int correction = GENERATE(0, 1);
    CAPTURE(device, shape, correction);
    const Tensor x = Generator(3).normal(shape, 1, 2, device);
    const std::vector<double> v = doubles(x);
    for (const int axis : {0, 1, 2}) {
        const auto n = std::size_t(shape[axis]), inner = std::size_t(shape.strides()[std::size_t(axis)]);
        if (n == 1) continue;
        std::vector<double> variances, norms;
        for (std::size_t outer = 0; outer < v.size(); outer += n * inner)
            for (std::size_t c = 0; c < inner; ++c) {
                const Want want = oracle(v, outer + c, n, inner, correction);
                variances.push_back(want.variance), norms.push_back(want.norm);
            }
        CAPTURE(axis);
        CHECK(close(variance(x, {axis}, correction), variances));
        CHECK(close(norm(x, {axis}), norms));
        CHECK(variance(x, {axis}, correction, Keep::yes).shape() == shape.with(axis, 1));
        CHECK(norm(x, {axis}, Keep::yes).shape() == shape.with(axis, 1));
    }
    const Want whole = oracle(v, 0, v.size(), 1, correction);
    CHECK(close(variance(x, correction), {whole.variance}));
    CHECK(close(norm(x), {whole.norm}));
    CHECK(close(variance(x, {0, 1, 2}, correction), {whole.variance}));
    CHECK(same_bits(variance(transpose(x), {0}), variance(contiguous(transpose(x)), {0})));
    CHECK(same_bits(norm(slice(x, 1, 1, shape[1]), {1}), norm(contiguous(slice(x, 1, 1, shape[1])), {1})));
}

TEST_CASE("variance: a large mean costs no digits", "[ops][variance][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CHECK(variance(Tensor({4}, {4096, 4097, 4098, 4099}, device), 0).item() == 1.25);
    CHECK(norm(Tensor({2}, {3, 4}, device)).item() == 5);
}

TEST_CASE("variance: edges", "[ops][variance][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    CHECK(std::isnan(variance(Tensor({1}, {3}, device)).item()));
    CHECK(variance(Tensor({1}, {3}, device), 0).item() == 0);
    CHECK(std::isnan(variance(empty({0}, device), 0).item()));
    CHECK(variance(empty({0, 3}, device), {1}).shape() == Shape{0});
    CHECK(variance(full({5}, 7, device)).item() == 0);
    CHECK(std::isnan(variance(Tensor({2}, {1, not_a_number}, device)).item()));
    CHECK(norm(empty({0}, device)).item() == 0);
    CHECK(norm(Tensor({}, {-3}, device)).item() == 3);
    CHECK(norm(empty({2, 0}, device), {1}).values() == Values{0, 0});
    const Tensor x = Tensor({2, 2}, {0, 0, 3, 4}, device).requires_grad_();
    sum(norm(x, {1})).backward();
    CHECK(close(x.grad(), {0, 0, 0.6, 0.8}));  // not NaN
}

TEST_CASE("variance: the same bits for any number of threads", "[ops][variance][threads]") {
    const Tensor x = Generator(5).normal({70, 900, 3}, 1, Real(0.3));
    const int before = threads();
    std::vector<Values> first;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        const std::vector<Values> now{variance(x).values(), variance(x, {1}).values(), norm(x).values(),
                                      norm(x, {0, 2}).values()};
        if (first.empty()) first = now;
        CHECK(now == first);
    }
    set_threads(before);
}

TEST_CASE("variance: axes that are computed", "[ops][variance][devices]") {
    const Tensor x = Generator(6).normal({3, 4, 5}, 0, 1, GENERATE(from_range(devices())));
    const std::vector<int> axes{-1, 0};
    CHECK(same_bits(variance(x, axes, 0, Keep::yes), variance(x, {0, 2}, 0, Keep::yes)));
    CHECK(same_bits(norm(x, axes), norm(x, {0, 2})));
}

GRADIENT_TEST("variance") {
    check_gradient(
        [](const Inputs& x) {
            return variance(x[0], {0, -1}, 0);
        },
        [](Generator& random) { return Inputs{random.normal(random_shape(random, 3, 3))}; });
    check_gradient([](const Inputs& x) { return variance(x[0]); },
                   [](Generator& random) { return Inputs{random.normal({random.next_integer(2, 9)})}; });
}
GRADIENT_TEST("norm") {
    check_gradient([](const Inputs& x) { return norm(x[0], {1}, Keep::yes); },
                   [](Generator& random) { return Inputs{random.uniform(random_shape(random, 3, 3), Real(0.5), 2)}; });
}

TEST_CASE("variance: messages", "[ops][variance]") {
    CHECK_THROWS_WITH(variance(ones({2, 3}), {2}), "variance: axis 2 is not there in shape (2, 3)");
    CHECK_THROWS_WITH(variance(ones({2, 3}), {0}, 2), "variance: wanted a correction of 0 or 1, got 2");
    CHECK_THROWS_WITH(norm(ones({2, 3}), {1, -1}), "norm: axis -1 is named twice for shape (2, 3)");
}
