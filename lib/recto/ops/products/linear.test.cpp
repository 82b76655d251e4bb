#include <recto/ops/products/linear.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
constexpr double tolerance = sizeof(Real) == 8 ? 1e-12 : 2e-5;

/// The definition in double, row by row.
std::vector<double> oracle(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    const std::vector<double> a = doubles(x), w = doubles(weight);
    const std::vector<double> b = bias.defined() ? doubles(bias) : std::vector<double>(std::size_t(weight.size(0)));
    const std::size_t out = std::size_t(weight.size(0)), in = std::size_t(weight.size(1));
    std::vector<double> y;
    for (std::size_t row = 0; row + in <= a.size(); row += in)
        for (std::size_t j = 0; j < out; ++j) {
            double total = b[j];
            for (std::size_t p = 0; p < in; ++p) total += a[row + p] * w[j * in + p];
            y.push_back(total);
        }
    return y;
}
}  // namespace

TEST_CASE("linear: definition", "[ops][linear][devices][row:claim-batching-throughput/d]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{1}, Shape{7}, Shape{4, 7}, Shape{2, 3, 5}, Shape{128, 129}, Shape{300, 2});
    const Index out = GENERATE(1, 3, 127);
    CAPTURE(device, shape, out);
    Generator random(1);
    const Tensor x = random.normal(shape, 0, 1, device), w = random.normal({out, x.size(-1)}, 0, 1, device);
    const Tensor b = random.normal({out}, 0, 1, device);
    CHECK(linear(x, w, b).shape() == shape.with(-1, out));
    CHECK(close(linear(x, w, b), oracle(x, w, b), tolerance));
    CHECK(close(linear(x, w), oracle(x, w, Tensor()), tolerance));
}

TEST_CASE("linear: agrees with PyTorch", "[ops][linear][golden][devices]") {
    check_golden("linear", [](const Golden& g) { return linear(g["x"], g["weight"], g["bias"]); });
}

TEST_CASE("linear: edges", "[ops][linear][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Tensor bias({2}, {3, 4}, device);
    CHECK(linear(empty({0, 3}, device), empty({2, 3}, device), bias).shape() == Shape{0, 2});
    CHECK(linear(empty({5, 3}, device), empty({0, 3}, device)).shape() == Shape{5, 0});
    CHECK(linear(empty({2, 0}, device), empty({2, 0}, device), bias).values() == std::vector<Real>{3, 4, 3, 4});
    // Weights and inputs that are views: columns of a wider matrix, and a transposed matrix.
    const Tensor wide = Generator(4).normal({3, 6}, 0, 1, device);
    const Tensor x = wide.view({3, 2}, {6, 1}, 1), w = wide.view({3, 2}, {1, 6}, 2);
    CHECK(close(linear(x, w), oracle(x, w, Tensor()), tolerance));
}

TEST_CASE("linear: with an activation function in the same pass, and one after the other", "[ops][linear][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index n = GENERATE(0, 3, 2049), in = 5, out = 33;
    constexpr Activation unknown = softplus;  // linear() has no fused version of this function
    const Activation f = GENERATE(values<Activation>({relu, gelu, tanh, sigmoid, silu, unknown}));
    CAPTURE(device, n, f == unknown);
    Generator random(7);
    Tensor x = random.normal({n, in}, 0, 1, device), w = random.normal({out, in}, 0, 1, device),
           b = random.normal({out}, 0, 1, device);
    const Tensor dy = random.normal({n, out}, 0, 1, device), quiet = linear(x, w, b, f);
    x.requires_grad_(), w.requires_grad_(), b.requires_grad_();
    std::vector<std::vector<Real>> results[2];
    for (const bool together : {false, true}) {
        for (const Tensor& t : {x, w, b}) t.zero_grad();
        const Tensor y = together ? linear(x, w, b, f) : f(linear(x, w, b));
        CHECK(same_bits(y, quiet));
        CHECK(steps(y).size() == (together && f != unknown ? 4 : 5));  // x, w, b, linear, and the function
        sum(y * dy).backward();
        for (const Tensor& t : {x, w, b}) results[together].push_back(t.grad().values());
    }
    CHECK(results[0] == results[1]);
}

TEST_CASE("linear: only the gradients that are wanted", "[ops][linear][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(5);
    const Tensor x = random.normal({4, 3}, 0, 1, device);
    Tensor w = random.normal({2, 3}, 0, 1, device), b = random.normal({2}, 0, 1, device);
    b.requires_grad_();
    const auto total = [&](const Tensor& y) {
        return record("total", Tensor(Shape{}, {0}, device), {y}, [&](const Tensor&) {
            return Grads{ones({4, 2}, device)};
        });
    };
    total(linear(x, w, b)).backward();
    CHECK(b.grad().values() == std::vector<Real>{4, 4});
    CHECK_FALSE(w.requires_grad());
    w.requires_grad_();
    b.zero_grad();
    total(linear(x, w, b)).backward();
    CHECK(w.grad().shape() == Shape{2, 3});
}

TEST_CASE("linear: the bias gradient of many rows", "[ops][linear][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index n = GENERATE(1, 31, 33, 1000, 5000), cols = GENERATE(1, 100);
    CAPTURE(device, n, cols);
    Tensor bias = zeros({cols}, device);
    bias.requires_grad_();
    const Tensor dy = Generator(6).normal({n, cols}, 0, Real(0.1), device);
    const Tensor y = linear(zeros({n, 1}, device), zeros({cols, 1}, device), bias);
    record("total", Tensor(Shape{}, {0}, device), {y}, [&](const Tensor&) { return Grads{dy}; }).backward();
    std::vector<double> want(static_cast<std::size_t>(cols));
    const std::vector<double> from = doubles(dy);
    for (std::size_t i = 0; i < from.size(); ++i) want[i % want.size()] += from[i];
    CHECK(close(bias.grad(), want, tolerance));
}

GRADIENT_TEST("linear", "[row:eq-fully-connected/c]") {
    check_gradient([](const Inputs& x) { return linear(x[0], x[1], x[2]); },
                   [](Generator& random) {
                       const Shape shape = random_shape(random);
                       const Index out = shape.numel() > 100 ? 2 : random.next_integer(1, 5);
                       return Inputs{random.normal(shape), random.normal({out, shape.size(-1)}), random.normal({out})};
                   });
    check_gradient([](const Inputs& x) { return linear(x[0], x[1]); },
                   [](Generator& random) {
                       return Inputs{random.normal({3, 2}), random.normal({4, 2})};
                   },
                   4);
    for (const Activation f : std::initializer_list<Activation>{gelu, tanh, sigmoid, silu})
        check_gradient([f](const Inputs& x) { return linear(x[0], x[1], x[2], f); },
                       [](Generator& random) {
                           return Inputs{random.normal({3, 2}), random.normal({4, 2}), random.normal({4})};
                       },
                       4);
}

TEST_CASE("linear: messages", "[ops][linear]") {
    const Tensor w = empty({2, 3});
    CHECK_THROWS_WITH(linear(Tensor(Shape{}, {1}), w), "linear: wanted an input with at least one axis, got shape ()");
    CHECK_THROWS_WITH(linear(empty({4, 3}), empty({3})), "linear: wanted weights (out, in), got shape (3)");
    CHECK_THROWS_WITH(linear(empty({4, 2}), w),
                      "linear: weights of shape (2, 3) want inputs of 3 columns, got shape (4, 2)");
    CHECK_THROWS_WITH(linear(empty({4, 3}), w, empty({3})),
                      "linear: weights of shape (2, 3) want a bias of shape (2), got (3)");
    CHECK_THROWS_WITH(linear(empty({4, 3}, Device::sim), w),
                      "linear: wanted input, weights and bias on one device, got sim, cpu and cpu");
}
