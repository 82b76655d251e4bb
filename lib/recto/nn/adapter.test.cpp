#include <recto/nn/adapter.hpp>

#include <algorithm>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// An adapter whose second layer is not zero.
nn::Adapter moved(Index width, Index bottleneck, Generator& random, Device device) {
    nn::Adapter adapter(width, bottleneck, random, relu, device);
    adapter.up.weight = random.normal({width, bottleneck}, 0, 1, device).requires_grad_();
    adapter.up.bias = random.normal({width}, 0, 1, device).requires_grad_();
    return adapter;
}

}  // namespace

TEST_CASE("Adapter: the formula, number by number", "[nn][adapter][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    const nn::Adapter adapter = moved(4, 2, random, device);
    const Tensor x = random.normal({3, 5, 4}, 0, 1, device);
    const std::vector<double> in = doubles(x), W1 = doubles(adapter.down.weight), b1 = doubles(adapter.down.bias),
                              W2 = doubles(adapter.up.weight), b2 = doubles(adapter.up.bias);
    std::vector<double> want;
    for (std::size_t n = 0; n < 15; ++n) {
        double h[2];
        for (std::size_t i = 0; i < 2; ++i) {
            h[i] = b1[i];
            for (std::size_t c = 0; c < 4; ++c) h[i] += W1[4 * i + c] * in[4 * n + c];
            h[i] = std::max(h[i], 0.0);
        }
        for (std::size_t c = 0; c < 4; ++c)
            want.push_back(in[4 * n + c] + b2[c] + W2[2 * c] * h[0] + W2[2 * c + 1] * h[1]);
    }
    CHECK(close(adapter(x), want, 10 * usual));
    CHECK(nn::count(adapter) == 2 * 4 * 2 + 2 + 4);
}

TEST_CASE("Adapter: the start is the identity, bit for bit", "[nn][adapter][devices][row:sys-adapters/a]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(2);
    for (const Index width : {127, 128, 129}) {
        const nn::Adapter adapter(width, 8, random, relu, device);
        const Tensor x = random.normal({5, width}, 0, 1, device);
        CHECK(same_bits(adapter(x), x));
    }
}

TEST_CASE("Adapter: every device agrees with the CPU, forward and backward",
          "[nn][adapter][devices][row:sys-adapters/e]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(3);
        const nn::Adapter adapter = moved(30, 4, random, where);
        const Tensor x = random.normal({17, 30}, 0, 1, where).requires_grad_();
        const Tensor y = adapter(x);
        sum(y * y).backward();
        std::vector<Tensor> found = {y, x.grad()};
        for (const NamedTensor& p : nn::parameters(adapter)) found.push_back(p.tensor.grad());
        return found;
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(close(got[i], doubles(want[i]), 10 * usual));
}

TEST_CASE("freeze: what is frozen does not move, what is not does", "[nn][adapter][row:sys-adapters/b]") {
    Generator random(4);
    nn::Linear layer(3, 4, random);
    const nn::Linear other = layer;  // shares its numbers
    nn::freeze(layer);
    CHECK(nn::count(layer) == 0);
    CHECK(nn::count(other) == 16);
    CHECK(layer.weight.data() == other.weight.data());
    const nn::Adapter adapter(4, 2, random);
    const Tensor weight = clone(layer.weight), bias = clone(layer.bias), x = random.normal({6, 3}),
                 start = clone(adapter(layer(x)).detach());
    optim::Adam adam(nn::parameters(adapter), {.lr = 0.1});
    for (int step = 0; step < 3; ++step) {
        adam.zero_grad();
        const Tensor y = adapter(layer(x));
        sum(y * y).backward();
        adam.step();
    }
    CHECK(same_bits(layer.weight, weight));
    CHECK(same_bits(layer.bias, bias));
    CHECK(max(abs(adapter(layer(x)) - start)).item() > 0.1);
}

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
TEST_CASE("Adapter: gradient", "[nn][adapter][gradient]") {
    const auto layer = [](const Inputs& x) {
        Generator random(5);
        nn::Adapter adapter(4, 2, random, tanh, x[0].device());
        adapter.down.weight = x[1], adapter.down.bias = x[2], adapter.up.weight = x[3], adapter.up.bias = x[4];
        return adapter(x[0]);
    };
    const auto make = [](Generator& random) {
        return Inputs{random.normal({5, 4}), random.normal({2, 4}), random.normal({2}), random.normal({4, 2}),
                      random.normal({4})};
    };
    check_gradient(layer, make, 8);
}
#endif

TEST_CASE("Adapter: messages", "[nn][adapter]") {
    Generator random(6);
    CHECK_THROWS_WITH(nn::Adapter(4, 0, random), "Adapter: wanted a bottleneck of at least 1 unit, got 0");
    CHECK_THROWS_WITH(nn::Adapter(4, 2, random)(zeros({2, 3})),
                      "linear: weights of shape (2, 4) want inputs of 4 columns, got shape (2, 3)");
}
