#include <recto/nn/highway.hpp>

#include <cmath>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("Highway: its definition, number by number", "[nn][highway][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    const nn::Highway layer(3, random, {.gate_bias = 0.5, .activation = tanh, .device = device});
    const Tensor x = random.normal({4, 3}, 0, 1, device);
    const std::vector<double> in = doubles(x), W = doubles(layer.change.weight), b = doubles(layer.change.bias),
                              U = doubles(layer.gate.weight);
    std::vector<double> want;
    for (std::size_t n = 0; n < 4; ++n)
        for (std::size_t i = 0; i < 3; ++i) {
            double fresh = b[i], score = 0.5;
            for (std::size_t j = 0; j < 3; ++j)
                fresh += W[3 * i + j] * in[3 * n + j], score += U[3 * i + j] * in[3 * n + j];
            const double keep = 1 / (1 + std::exp(-score));
            want.push_back(keep * in[3 * n + i] + (1 - keep) * std::tanh(fresh));
        }
    CHECK(close(layer(x), want));
    CHECK(nn::count(layer) == 2 * (9 + 3));
    CHECK(nn::parameters(layer)[3].name == "gate.bias");
}

TEST_CASE("Highway: a wide open gate is the identity, a shut one the layer inside", "[nn][highway]") {
    Generator random(2);
    const nn::Highway carries(5, random, {.gate_bias = 1000}), replaces(5, random, {.gate_bias = -1000});
    const Tensor x = random.normal({6, 5});
    CHECK(same_bits(carries(x), x));
    CHECK(close(replaces(x), doubles(relu(replaces.change(x)))));
}

TEST_CASE("Highway: every device agrees with the CPU, forward and backward", "[nn][highway][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(3);
        const nn::Highway layer(6, random, {.device = where});
        const Tensor x = random.normal({4, 6}, 0, 1, where).requires_grad_();
        const Tensor y = layer(x);
        sum(y * y).backward();
        std::vector<Tensor> found = {y, x.grad()};
        for (const NamedTensor& p : nn::parameters(layer)) found.push_back(p.tensor.grad());
        return found;
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(close(got[i], doubles(want[i])));
}

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
TEST_CASE("Highway: gradient", "[nn][highway][gradient]") {
    const auto layer = [](const Inputs& x) {
        Generator random(4);
        nn::Highway highway(3, random, {.activation = tanh, .device = x[0].device()});
        highway.change.weight = x[1], highway.gate.weight = x[2], highway.gate.bias = x[3];
        return highway(x[0]);
    };
    const auto make = [](Generator& random) {
        const Tensor x = random.normal({2, 3}), W = random.normal({3, 3}), U = random.normal({3, 3}),
                     c = random.normal({3});
        return Inputs{x, W, U, c};
    };
    check_gradient(layer, make, 8);
}
#endif

TEST_CASE("Highway: messages", "[nn][highway]") {
    Generator random(5);
    CHECK_THROWS_AS(nn::Highway(-1, random), Error);
}
