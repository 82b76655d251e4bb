#include <recto/ops/elementwise/quantize.hpp>

#include <algorithm>
#include <cmath>

#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("quantize, dequantize: block by block",
          "[ops][quantize][devices][row:eq-q4-1/e][row:sys-llama-cpp-formats/e]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{32}, Shape{127, 32}, Shape{128, 64}, Shape{2, 129, 32});
    const Tensor x = Generator(1).normal(shape, Real(0.1), 2, device);
    const std::vector<Real> numbers = x.values();
    for (const BlockFormat f : block_formats) {
        CAPTURE(device, shape, f.name);
        std::vector<std::uint8_t> want(std::size_t(shape.numel() / block_size * f.bytes()));
        std::vector<Real> back(numbers.size());
        for (std::size_t b = 0; b < numbers.size() / block_size; ++b) {
            encode_block(&numbers[b * block_size], &want[b * std::size_t(f.bytes())], f);
            decode_block(&want[b * std::size_t(f.bytes())], &back[b * block_size], f);
        }
        const QuantizedTensor q = quantize(x, f);
        CHECK(q.bytes() == want);
        CHECK(dequantize(q).values() == back);
        CHECK(q.shape() == shape);
    }
}

TEST_CASE("quantize, dequantize: edges", "[ops][quantize][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    CHECK(dequantize(quantize(empty({0, 32}, device), q4_1)).shape() == Shape{0, 32});
    CHECK(dequantize(quantize(empty({3, 0}, device), q8_0)).shape() == Shape{3, 0});
    Tensor x = ones({2, 32}, device);
    x.set({0, 5}, not_a_number);
    const std::vector<Real> back = dequantize(quantize(x, q4_0)).values();
    CHECK(std::all_of(back.begin(), back.begin() + 32, [](Real v) { return is_nan(v); }));
    CHECK(std::all_of(back.begin() + 32, back.end(), [](Real v) { return v == 1; }));
}

TEST_CASE("fake_quantize: definition", "[ops][fake_quantize][devices][row:sys-quantization/j]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{1}, Shape{4, 7}, Shape{127}, Shape{128}, Shape{129}, Shape{40, 50});
    const Index levels = GENERATE(2, 3, 16, 256), group = GENERATE(1, 32, 50, 128, 5000);
    CAPTURE(device, shape, levels, group);
    const Tensor x = Generator(1).normal(shape, 1, 3, device);
    const std::vector<Real> in = x.values();
    std::vector<Real> want;
    for (std::size_t begin = 0; begin < in.size(); begin += std::size_t(group)) {
        const std::size_t end = std::min(in.size(), begin + std::size_t(group));
        const auto [low, high] = std::minmax_element(in.begin() + Index(begin), in.begin() + Index(end));
        const Real d = (*high - *low) / Real(levels - 1);
        for (std::size_t i = begin; i < end; ++i) {
            const Real q = std::min(Real(levels - 1), std::floor((in[i] - *low) / d + Real(0.5)));
            want.push_back(d == 0 ? in[i] : *low + d * q);
        }
    }
    CHECK(fake_quantize(x, levels, group).values() == want);
}

TEST_CASE("fake_quantize: edges", "[ops][fake_quantize][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    CHECK(fake_quantize(empty({0, 3}, device), 4, 32).shape() == Shape{0, 3});
    CHECK(fake_quantize(Tensor({5}, {3, 3, 3, 0, 1}, device), 2, 3).values() == std::vector<Real>{3, 3, 3, 0, 1});
    const std::vector<Real> bad = fake_quantize(Tensor({4}, {1, not_a_number, 0, 1}, device), 2, 2).values();
    CHECK((is_nan(bad[0]) && is_nan(bad[1]) && bad[2] == 0 && bad[3] == 1));
}

GRADIENT_TEST("fake_quantize") {  // the contract: the gradient passes as if nothing had been rounded
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Tensor x = Generator(2).normal({100}, 0, 1, device);
    x.requires_grad_();
    const Tensor dy = Generator(3).normal({100}, 0, 1, device), y = fake_quantize(x, 4, 32);
    record("total", Tensor(Shape{}, {0}, device), {y}, [&](const Tensor&) { return Grads{dy}; }).backward();
    CHECK(same_bits(x.grad(), dy));
}

TEST_CASE("quantize, fake_quantize: messages", "[ops][quantize]") {
    CHECK_THROWS_WITH(quantize(empty({3, 31}), q4_0),
                      "quantize: wanted a last axis of whole blocks of 32 numbers, got shape (3, 31)");
    CHECK_THROWS_WITH(quantize(Tensor(), q4_0), "quantize: wanted a tensor, got an undefined one");
    CHECK_THROWS_WITH(dequantize(QuantizedTensor()), "dequantize: wanted a quantized tensor, got an undefined one");
    CHECK_THROWS_WITH(fake_quantize(empty({3}), 1, 32), "fake_quantize: wanted from 2 to 65536 levels, got 1");
    CHECK_THROWS_WITH(fake_quantize(empty({3}), 2, 0), "fake_quantize: wanted at least one number in a group, got 0");
}
