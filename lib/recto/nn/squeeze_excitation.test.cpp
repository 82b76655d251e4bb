#include <recto/nn/squeeze_excitation.hpp>

#include <algorithm>
#include <cmath>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("SqueezeExcitation: the formula, number by number", "[nn][squeeze_excitation][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    const nn::SqueezeExcitation block(4, 2, random, device);
    const Tensor x = random.normal({2, 4, 3, 5}, 0, 1, device);
    const std::vector<double> in = doubles(x), W1 = doubles(block.squeeze.weight), b1 = doubles(block.squeeze.bias),
                              W2 = doubles(block.excite.weight), b2 = doubles(block.excite.bias);
    std::vector<double> s, y;
    for (std::size_t n = 0; n < 2; ++n) {
        double avg[4] = {}, h[2];
        for (std::size_t c = 0; c < 4; ++c)
            for (std::size_t p = 0; p < 15; ++p) avg[c] += in[(4 * n + c) * 15 + p] / 15;
        for (std::size_t i = 0; i < 2; ++i) {
            h[i] = b1[i];
            for (std::size_t c = 0; c < 4; ++c) h[i] += W1[4 * i + c] * avg[c];
            h[i] = std::max(h[i], 0.0);
        }
        for (std::size_t c = 0; c < 4; ++c) {
            s.push_back(1 / (1 + std::exp(-(b2[c] + W2[2 * c] * h[0] + W2[2 * c + 1] * h[1]))));
            for (std::size_t p = 0; p < 15; ++p) y.push_back(s.back() * in[(4 * n + c) * 15 + p]);
        }
    }
    CHECK(close(block.factors(x), s));
    CHECK(close(block(x), y));
    CHECK(nn::count(block) == 2 * 4 * 4 / 2 + 4 + 2);
}

TEST_CASE("SqueezeExcitation: every device agrees with the CPU, forward and backward",
          "[nn][squeeze_excitation][devices][row:sys-squeeze-excitation/e]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(2);
        const nn::SqueezeExcitation block(8, 4, random, where);
        const Tensor x = random.normal({3, 8, 5, 4}, 0, 1, where).requires_grad_();
        const Tensor y = block(x);
        sum(y * y).backward();
        std::vector<Tensor> found = {y, x.grad()};
        for (const NamedTensor& p : nn::parameters(block)) found.push_back(p.tensor.grad());
        return found;
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(close(got[i], doubles(want[i]), 10 * usual));
}

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
TEST_CASE("SqueezeExcitation: gradient", "[nn][squeeze_excitation][gradient]") {
    const auto layer = [](const Inputs& x) {
        Generator random(3);
        nn::SqueezeExcitation block(4, 2, random, x[0].device());
        block.squeeze.weight = x[1], block.squeeze.bias = x[2], block.excite.weight = x[3], block.excite.bias = x[4];
        return block(x[0]);
    };
    const auto make = [](Generator& random) {  // all units on, far from the kink
        const Tensor x = random.uniform({2, 4, 3, 2}, 0, 1), W1 = random.uniform({2, 4}, 0, 1),
                     b1 = random.uniform({2}, 1, 2), W2 = random.normal({4, 2}), b2 = random.normal({4});
        return Inputs{x, W1, b1, W2, b2};
    };
    check_gradient(layer, make, 8);
}
#endif

TEST_CASE("SqueezeExcitation: messages", "[nn][squeeze_excitation]") {
    Generator random(4);
    CHECK_THROWS_WITH(nn::SqueezeExcitation(6, 4, random),
                      "SqueezeExcitation: wanted a reduction that divides 6 channels, got 4");
    const nn::SqueezeExcitation block(4, 2, random);
    CHECK_THROWS_WITH(block(ones({2, 4})),
                      "SqueezeExcitation: wanted (batch, channels, rows, columns), got shape (2, 4)");
}
