#include <recto/nn/lora.hpp>

#include <algorithm>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// A corrected layer whose B is not zero.
nn::Lora moved(const nn::Linear& base, Index rank, Generator& random) {
    nn::Lora layer(base, rank, random);
    layer.b = random.normal(layer.b.shape(), 0, 1, layer.b.device()).requires_grad_();
    return layer;
}

}  // namespace

TEST_CASE("Lora: the formula, number by number", "[nn][lora][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    const Index rank = GENERATE(1, 2, 3);
    const bool biased = GENERATE(true, false);
    const nn::Linear base(5, 3, random, {.bias = biased, .device = device});
    const nn::Lora layer = moved(base, rank, random);
    const Tensor x = random.normal({4, 2, 5}, 0, 1, device);
    const std::vector<double> in = doubles(x), w = doubles(layer.weight), a = doubles(layer.a), b = doubles(layer.b),
                              bias = biased ? doubles(layer.bias) : std::vector<double>(3, 0.0);
    std::vector<double> want, want_correction;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 5; ++j) {
            want_correction.push_back(0);
            for (std::size_t r = 0; r < std::size_t(rank); ++r)
                want_correction.back() += b[std::size_t(rank) * i + r] * a[5 * r + j];
        }
    for (std::size_t n = 0; n < 8; ++n)
        for (std::size_t i = 0; i < 3; ++i) {
            want.push_back(bias[i]);
            for (std::size_t j = 0; j < 5; ++j)
                want.back() += in[5 * n + j] * (w[5 * i + j] + want_correction[5 * i + j]);
        }
    CHECK(close(layer.correction(), want_correction));
    CHECK(close(layer(x), want, 10 * usual));
    std::vector<double> positive = want;
    for (double& v : positive) v = std::max(v, 0.0);
    CHECK(close(layer(x, relu), positive, 10 * usual));
    CHECK(nn::count(layer) == rank * (3 + 5));
    CHECK(nn::parameters(layer).size() == 2);
}

TEST_CASE("Lora: the start is the base layer, bit for bit", "[nn][lora][devices][row:eq-lora/a]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(2);
    for (const Index out : {127, 128, 129}) {
        const nn::Linear base(60, out, random, {.device = device});
        const nn::Lora layer(base, 8, random);
        const Tensor x = random.normal({33, 60}, 0, 1, device);
        CHECK(same_bits(layer(x), base(x)));
        CHECK(same_bits(layer(x, tanh), tanh(base(x))));
        CHECK(layer.weight.data() == base.weight.data());  // shared, not copied
    }
}

TEST_CASE("Lora: the first gradient of A is zero, that of B is not",
          "[nn][lora][devices][row:eq-lora/c][row:eq-lora/d]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(3);
    const nn::Linear base(6, 5, random, {.device = device});
    const nn::Lora layer(base, 2, random);
    const Tensor y = layer(random.normal({7, 6}, 0, 1, device));
    sum(y * y).backward();
    CHECK(max(abs(layer.a.grad())).item() == 0);
    CHECK(min(abs(layer.b.grad())).item() > 0);
    CHECK(!layer.weight.requires_grad());
    CHECK(!layer.bias.requires_grad());
}

TEST_CASE("Lora: the merged layer gives the same output", "[nn][lora][devices][row:eq-lora/e]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(4);
    const bool biased = GENERATE(true, false);
    const nn::Linear base(50, 40, random, {.bias = biased, .device = device});
    const nn::Lora layer = moved(base, 3, random);
    const nn::Linear merged = layer.merged();
    const Tensor x = random.normal({9, 50}, 0, 1, device);
    CHECK(close(merged(x), doubles(layer(x)), 1e-5));
    CHECK(nn::count(merged) == nn::count(base));
    CHECK(merged.bias.defined() == biased);
    // A change of the merged layer leaves the base layer alone.
    const Tensor before = clone(base.weight.detach());
    Tensor(merged.weight.detach()).copy_(zeros({40, 50}, device));
    CHECK(same_bits(base.weight.detach(), before));
}

TEST_CASE("Lora: training leaves the base layer alone", "[nn][lora][devices][row:sys-lora/h]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(5);
    const nn::Linear base(6, 4, random, {.device = device});
    const Tensor weight = clone(base.weight.detach()), bias = clone(base.bias.detach());
    const nn::Lora layer(base, 2, random);
    const Tensor x = random.normal({8, 6}, 0, 1, device), start = clone(layer(x).detach());
    optim::Adam adam(nn::parameters(layer), {.lr = 0.1});
    for (int step = 0; step < 3; ++step) {
        adam.zero_grad();
        const Tensor y = layer(x);
        sum(y * y).backward();
        adam.step();
    }
    CHECK(same_bits(base.weight.detach(), weight));
    CHECK(same_bits(base.bias.detach(), bias));
    CHECK(max(abs(layer(x) - start)).item() > 0.1);
}

TEST_CASE("Lora: every device agrees with the CPU, forward and backward",
          "[nn][lora][devices][row:eq-lora/f][row:sys-lora/j]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(6);
        const nn::Linear base(20, 30, random, {.device = where});
        const nn::Lora layer = moved(base, 4, random);
        const Tensor x = random.normal({17, 20}, 0, 1, where).requires_grad_();
        const Tensor y = layer(x, tanh);
        sum(y * y).backward();
        return std::vector<Tensor>{y, x.grad(), layer.a.grad(), layer.b.grad(), layer.correction(), layer.merged()(x)};
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(close(got[i], doubles(want[i]), 10 * usual));
}

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
TEST_CASE("Lora: gradient", "[nn][lora][gradient]") {
    const auto layer = [](const Inputs& x) {
        Generator random(7);
        nn::Lora corrected(nn::Linear(4, 3, random, {.device = x[0].device()}), 2, random);
        corrected.a = x[1], corrected.b = x[2];
        return corrected(x[0], tanh);
    };
    const auto make = [](Generator& random) {
        return Inputs{random.normal({5, 4}), random.normal({2, 4}), random.normal({3, 2})};
    };
    check_gradient(layer, make, 8);
}
#endif

TEST_CASE("Lora: edges and messages", "[nn][lora]") {
    Generator random(8);
    const nn::Linear base(5, 3, random);
    CHECK_THROWS_WITH(nn::Lora(base, 0, random), "Lora: wanted a rank from 1 to 3 for weights of shape (3, 5), got 0");
    CHECK_THROWS_WITH(nn::Lora(base, 4, random), "Lora: wanted a rank from 1 to 3 for weights of shape (3, 5), got 4");
    const nn::Lora layer(base, 3, random);
    CHECK(layer(zeros({0, 5})).shape() == Shape{0, 3});
    CHECK_THROWS_WITH(layer(zeros({2, 4})),
                      "linear: weights of shape (3, 5) want inputs of 5 columns, got shape (2, 4)");
}
