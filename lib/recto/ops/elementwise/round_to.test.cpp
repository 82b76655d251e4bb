#include <recto/ops/elementwise/round_to.hpp>

#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("round_to: definition", "[ops][round_to][devices][row:sys-float-formats/f]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{}, Shape{1}, Shape{4, 7}, Shape{127}, Shape{128}, Shape{129});
    CAPTURE(device, shape);
    const Tensor x = Generator(1).normal(shape, 0, 100, device);
    for (const FloatFormat format : float_formats) {
        std::vector<Real> want;
        for (const Real v : x.values()) want.push_back(Real(decode(encode(v, format), format)));
        CHECK(round_to(x, format).values() == want);
        CHECK(round_to(round_to(x, format), format).values() == want);
    }
}

TEST_CASE("round_to: edges", "[ops][round_to][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    CHECK(round_to(empty({0, 3}, device), fp16).shape() == Shape{0, 3});
    CHECK(round_to(Tensor({3}, {Real(1.0 / 3), 70000, 1e-8f}, device), fp16).values() ==
          std::vector<Real>{Real(0.333251953125), infinity, 0});
    CHECK(is_nan(round_to(Tensor({1}, {not_a_number}, device), e5m2).item()));
    const Tensor matrix({2, 2}, {1, 2, 3, 4}, device);
    CHECK(round_to(matrix.view({2, 2}, {1, 2}, 0), bf16).values() == std::vector<Real>{1, 3, 2, 4});
}

TEST_CASE("round_to: the GPU agrees with the CPU", "[ops][round_to][cuda][row:sys-float-formats/f]") {
    if (!missing(Device::cuda).empty()) SKIP(missing(Device::cuda));
    const Tensor x = Generator(4).normal({10000}, 0, 1000);
    for (const FloatFormat format : float_formats)
        CHECK(same_bits(round_to(x, format), round_to(x.to(Device::cuda), format)));
}

GRADIENT_TEST("round_to") {  // the derivative of a staircase is 0; the contract is that the gradient passes, rounded
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Tensor x = Generator(2).normal({100}, 0, 1, device);
    x.requires_grad_();
    const Tensor dy = Generator(3).normal({100}, 0, Real(1e-6), device), y = round_to(x, fp16);
    record("total", Tensor(Shape{}, {0}, device), {y}, [&](const Tensor&) { return Grads{dy}; }).backward();
    CHECK(same_bits(x.grad(), round_to(dy, fp16)));
    CHECK_FALSE(same_bits(x.grad(), dy));
}
