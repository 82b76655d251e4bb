#include <recto/ops/products/int8_linear.hpp>

#include <algorithm>
#include <cmath>

#include <recto/base/flops.hpp>
#include <recto/ops/elementwise/quantize.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
constexpr double tolerance = sizeof(Real) == 8 ? 1e-12 : 2e-5;

/// The product of the numbers for which the codes stand, in double.
std::vector<double> oracle(const Tensor& x, const QuantizedTensor& weight, double range, const Tensor& bias) {
    std::vector<double> a = doubles(x);
    for (double& v : a) v = std::clamp(std::round(Real(v) * Real(127 / range)), Real(-127), Real(127)) * range / 127;
    const std::vector<double> w = doubles(dequantize(weight)), b = doubles(bias);
    const std::size_t out = b.size(), in = w.size() / std::max<std::size_t>(out, 1);
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

TEST_CASE("int8_linear: the product of the restored numbers",
          "[ops][int8_linear][devices][row:sys-ptq-calibration/d]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape sizes =
        GENERATE(Shape{1, 32, 1}, Shape{3, 32, 130}, Shape{129, 32, 7}, Shape{1, 96, 130}, Shape{3, 96, 7},
                 Shape{129, 32, 130}, Shape{1, 4128, 130}, Shape{3, 4128, 7}, Shape{129, 4128, 1});
    const Index n = sizes[0], in = sizes[1], out = sizes[2];
    CAPTURE(device, n, in, out);
    Generator random(1);
    const Tensor x = random.normal({n, in}, 0, 1, device), b = random.normal({out}, 0, 1, device);
    const QuantizedTensor w = quantize(random.normal({out, in}, 0, Real(0.1), device), q8_0);
    for (const double range : {1.5, 5.0}) {  // the first cuts some inputs off
        const FlopCount count;
        CHECK(close(int8_linear(x, w, range, b), oracle(x, w, range, b), tolerance));
        CHECK(count.multiply_adds() == n * in * out);
        CHECK(close(int8_linear(x, w, range), oracle(x, w, range, zeros({out}, device)), tolerance));
    }
}

TEST_CASE("int8_linear: edges", "[ops][int8_linear][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const QuantizedTensor w = quantize(ones({2, 32}, device), q8_0);
    const Tensor bias({2}, {3, 4}, device);
    CHECK(int8_linear(empty({0, 32}, device), w, 1, bias).shape() == Shape{0, 2});
    CHECK(int8_linear(empty({2, 0}, device), quantize(empty({2, 0}, device), q8_0), 1, bias).values() ==
          std::vector<Real>{3, 4, 3, 4});
    Tensor x = ones({2, 32}, device);
    x.set({1, 9}, not_a_number);
    const std::vector<Real> y = int8_linear(x, w, 1).values();
    CHECK((!is_nan(y[0]) && !is_nan(y[1]) && is_nan(y[2]) && is_nan(y[3])));
    x.set({1, 9}, -infinity);  // cut off at -1: 31 ones are left, and one is taken away
    CHECK(std::abs(int8_linear(x, w, 1).values()[2] - 30) < 0.1);
}

TEST_CASE("int8_linear: messages", "[ops][int8_linear]") {
    const QuantizedTensor w = quantize(zeros({2, 32}), q8_0);
    CHECK_THROWS_WITH(int8_linear(empty({4, 31}), w, 1),
                      "int8_linear: weights of shape (2, 32) want inputs of 32 columns, got shape (4, 31)");
    CHECK_THROWS_WITH(int8_linear(empty({4, 32}), quantize(zeros({2, 32}), q4_0), 1),
                      "int8_linear: wanted weights in Q8_0, got Q4_0");
    CHECK_THROWS_WITH(int8_linear(empty({4, 32}), w, 0), "int8_linear: wanted a positive range, got 0");
    CHECK_THROWS_WITH(int8_linear(empty({4, 32}), w, NAN), "int8_linear: wanted a positive range, got nan");
    CHECK_THROWS_WITH(int8_linear(empty({4, 32}), w, 1, empty({3})),
                      "int8_linear: weights of shape (2, 32) want a bias of shape (2), got (3)");
    CHECK_THROWS_WITH(int8_linear(empty({4, 32}, Device::sim), w, 1),
                      "int8_linear: wanted input, weights and bias on one device, got sim, cpu and cpu");
    CHECK_THROWS_WITH(int8_linear(empty({32}), QuantizedTensor(), 1),
                      "int8_linear: wanted weights (out, in), got an undefined tensor");
    CHECK_THROWS_WITH(int8_linear(empty({32}), quantize(zeros({32}), q8_0), 1),
                      "int8_linear: wanted weights (out, in), got shape (32)");
    CHECK_THROWS_WITH(int8_linear(Tensor(Shape{}, {1}), w, 1),
                      "int8_linear: wanted an input with at least one axis, got shape ()");
}
