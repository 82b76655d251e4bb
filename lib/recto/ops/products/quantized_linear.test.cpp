#include <recto/ops/products/quantized_linear.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <recto/base/flops.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/quantize.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
constexpr double tolerance = sizeof(Real) == 8 ? 1e-12 : 2e-5;

/// The definition in double: rows of x times the restored weights.
std::vector<double> oracle(const Tensor& x, const QuantizedTensor& weight, const Tensor& bias) {
    const std::vector<double> a = doubles(x), w = doubles(dequantize(weight)), b = doubles(bias);
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

TEST_CASE(
    "quantized_linear: definition",
    "[ops][quantized_linear][devices][row:eq-q4-1/e][row:sys-llama-cpp-formats/e][row:claim-decode-memory-bound/d]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape sizes =
        GENERATE(Shape{1, 32, 1}, Shape{3, 32, 130}, Shape{8, 32, 7}, Shape{9, 32, 130}, Shape{129, 32, 130},
                 Shape{1, 96, 7}, Shape{8, 96, 130}, Shape{9, 96, 7}, Shape{129, 96, 1}, Shape{1, 4128, 130},
                 Shape{3, 4128, 7}, Shape{8, 4128, 7}, Shape{9, 4128, 1}, Shape{129, 4128, 1});
    const Index n = sizes[0], in = sizes[1], out = sizes[2];
    Generator random(1);
    const Tensor x = random.normal({n, in}, 0, 1, device), w = random.normal({out, in}, Real(0.1), 1, device);
    const Tensor b = random.normal({out}, 0, 1, device);
    for (const BlockFormat f : block_formats) {
        CAPTURE(device, n, in, out, f.name);
        const QuantizedTensor q = quantize(w, f);
        const FlopCount count;
        CHECK(close(quantized_linear(x, q, b), oracle(x, q, b), tolerance * std::sqrt(double(in) / 32)));
        CHECK(count.multiply_adds() == n * in * out);
        CHECK(
            close(quantized_linear(x, q), oracle(x, q, zeros({out}, device)), tolerance * std::sqrt(double(in) / 32)));
    }
}

TEST_CASE("quantized_linear: every scale and minimum that FP16 has", "[ops][quantized_linear][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const BlockFormat format = GENERATE(q8_0, q4_1);
    CAPTURE(device, format.name);
    const Index count = 65536, size = format.bytes();
    std::vector<std::uint8_t> bytes(std::size_t(count * size));
    for (Index i = 0; i < count; ++i) {  // code 1, then zeros; the scale and the minimum have the bits of i
        std::uint8_t* block = bytes.data() + i * size;
        for (int at = 0; at < format.head(); at += 2) block[at] = std::uint8_t(i), block[at + 1] = std::uint8_t(i >> 8);
        block[format.head()] = 1;
    }
    std::vector<Real> first(32, 0);
    first[0] = 1;
    const std::vector<Real> y =
        quantized_linear(Tensor({1, 32}, first, device), {{count, 32}, format, bytes, device}).values();
    Index wrong = 0;
    for (Index i = 0; i < count; ++i) {
        const float want = decode(std::uint32_t(i), fp16) * (format.minimum ? 2 : 1);
        wrong += std::isfinite(want) ? !(y[std::size_t(i)] == Real(want)) : std::isfinite(y[std::size_t(i)]);
    }
    CHECK(wrong == 0);
}

TEST_CASE("quantized_linear: the gradients of linear() with the restored weights", "[ops][quantized_linear][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index n = GENERATE(1, 8, 9);
    CAPTURE(device, n);
    Generator random(5);
    const QuantizedTensor q = quantize(random.normal({7, 64}, 0, 1, device), q4_0);
    const Tensor dy = random.normal({n, 7}, 0, 1, device);
    Tensor x = random.normal({n, 64}, 0, 1, device), b = random.normal({7}, 0, 1, device);
    x.requires_grad_(), b.requires_grad_();
    std::vector<double> want;
    for (const bool quantized : {false, true}) {
        x.zero_grad(), b.zero_grad();
        sum((quantized ? quantized_linear(x, q, b) : linear(x, dequantize(q), b)) * dy).backward();
        if (!quantized) want = doubles(x.grad());
        if (quantized) CHECK(close(x.grad(), want, tolerance));
        if (quantized) CHECK(close(b.grad(), doubles(sum(dy, {0})), tolerance));
    }
}

TEST_CASE("quantized_linear: edges", "[ops][quantized_linear][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const QuantizedTensor q = quantize(ones({2, 32}, device), q4_1);
    const Tensor bias({2}, {3, 4}, device);
    CHECK(quantized_linear(empty({0, 32}, device), q, bias).shape() == Shape{0, 2});
    CHECK(quantized_linear(ones({32}, device), q, bias).values() == std::vector<Real>{35, 36});
    CHECK(quantized_linear(ones({2, 3, 32}, device), q).shape() == Shape{2, 3, 2});
    CHECK(quantized_linear(empty({2, 0}, device), quantize(empty({2, 0}, device), q4_0), bias).values() ==
          std::vector<Real>{3, 4, 3, 4});
    CHECK(quantized_linear(empty({3, 32}, device), quantize(empty({0, 32}, device), q5_0)).shape() == Shape{3, 0});
    CHECK(is_nan(quantized_linear(full({32}, not_a_number, device), q).values()[0]));
}

GRADIENT_TEST("quantized_linear") {
    for (const Index n : {1, 3, 9})
        check_gradient(
            [](const Inputs& x) {
                const Tensor w = Generator(4).normal({3, 64}, 0, 1, x[0].device());
                return quantized_linear(x[0], quantize(w, q5_1), x[1]);
            },
            [n](Generator& random) {
                return Inputs{random.normal({n, 64}), random.normal({3})};
            },
            4);
}

TEST_CASE("quantized_linear: messages", "[ops][quantized_linear]") {
    const QuantizedTensor q = quantize(empty({2, 32}), q4_0);
    CHECK_THROWS_WITH(quantized_linear(empty({4, 31}), q),
                      "quantized_linear: weights of shape (2, 32) want inputs of 32 columns, got shape (4, 31)");
    CHECK_THROWS_WITH(quantized_linear(empty({4, 32}), q, empty({3})),
                      "quantized_linear: weights of shape (2, 32) want a bias of shape (2), got (3)");
    CHECK_THROWS_WITH(quantized_linear(empty({4, 32}, Device::sim), q),
                      "quantized_linear: wanted input, weights and bias on one device, got sim, cpu and cpu");
    CHECK_THROWS_WITH(quantized_linear(empty({32}), quantize(empty({32}), q4_0)),
                      "quantized_linear: wanted weights (out, in), got shape (32)");
    CHECK_THROWS_WITH(quantized_linear(empty({32}), QuantizedTensor()),
                      "quantized_linear: wanted weights (out, in), got an undefined tensor");
    CHECK_THROWS_WITH(quantized_linear(Tensor(Shape{}, {1}), q),
                      "quantized_linear: wanted an input with at least one axis, got shape ()");
}
