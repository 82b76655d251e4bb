#include <recto/nn/mamba.hpp>

#include <algorithm>
#include <cmath>

#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

nn::MambaBlock draw_block(Generator& random, Device device) {
    nn::SelectiveStateSpace core(6, 4, random, {.device = device});
    return nn::MambaBlock(3, core, random, 4, device);
}

}  // namespace

TEST_CASE("MambaBlock: its parts, one after another", "[nn][mamba][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    const nn::MambaBlock block = draw_block(random, device);
    const Tensor x = random.normal({2, 9, 3}, 0, 1, device), both = block.in(block.norm(x));
    const std::vector<double> u = doubles(both), w = doubles(block.conv_weight), b = doubles(block.conv_bias);
    std::vector<Real> mixed, gates;  // (2, 9, 6)
    for (std::size_t n = 0; n < 2; ++n)
        for (std::size_t t = 0; t < 9; ++t)
            for (std::size_t c = 0; c < 6; ++c) {
                double s = b[c];
                for (std::size_t k = 0; k < 4 && k <= t; ++k) s += w[4 * c + 3 - k] * u[(n * 9 + t - k) * 12 + c];
                mixed.push_back(Real(s / (1 + std::exp(-s))));
                const double g = u[(n * 9 + t) * 12 + 6 + c];
                gates.push_back(Real(g / (1 + std::exp(-g))));
            }
    const Shape shape = {2, 9, 6};
    const Tensor want = x + block.out(block.core(Tensor(shape, mixed, device)) * Tensor(shape, gates, device));
    CHECK(close(block(x), doubles(want), 10 * usual));
    // in, convolution, core (decays, skip, steps, write, read), out, norm
    CHECK(nn::count(block) == (3 * 12 + 12) + (6 * 4 + 6) + (6 * 4 + 6 + 42 + 28 + 28) + (6 * 3 + 3) + 6);
}

TEST_CASE("MambaBlock: causal, and the same on every device", "[nn][mamba][devices][row:sys-mamba/e]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(2);
        const nn::MambaBlock block = draw_block(random, where);
        const Tensor x = random.normal({2, 12, 3}, 0, 1, where).requires_grad_(), y = block(x);
        sum(y * y).backward();
        std::vector<Tensor> found = {y, x.grad()};
        for (const NamedTensor& p : nn::parameters(block)) found.push_back(p.tensor.grad());
        return found;
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    for (std::size_t i = 0; i < want.size(); ++i) {
        const std::vector<double> w = doubles(want[i]), g = doubles(got[i]);
        double largest = 0, gap = 0;
        for (std::size_t k = 0; k < w.size(); ++k)
            largest = std::max(largest, std::abs(w[k])), gap = std::max(gap, std::abs(w[k] - g[k]));
        CHECK(gap <= 1e-4 * largest);
    }
    Generator random(3);
    const nn::MambaBlock block = draw_block(random, device);
    const Tensor x = random.normal({1, 12, 3}, 0, 1, device), first = slice(x, 1, 0, 5);
    CHECK(close(block(first), doubles(slice(block(x), 1, 0, 5)), 4 * usual));
}

TEST_CASE("GatedBlock: messages", "[nn][mamba]") {
    Generator random(4);
    const nn::StateSpace core(6, 4, random);
    CHECK_THROWS_WITH(nn::GatedBlock<nn::StateSpace>(3, core, random, 0),
                      "GatedBlock: wanted a window of at least 1, got 0");
    CHECK(nn::GatedBlock<nn::StateSpace>(3, core, random)(ones({2, 7, 3})).shape() == Shape{2, 7, 3});
}

GRADIENT_TEST("MambaBlock") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(5);
            const nn::SelectiveStateSpace core(2, 2, random, {.device = x[0].device()});
            nn::MambaBlock block(3, core, random, 2, x[0].device());
            block.conv_weight = x[1], block.in.weight = x[2], block.out.weight = x[3];
            return block(x[0]);
        },
        [](Generator& random) {
            // Apart from each other, so that LayerNorm is smooth at every draw.
            const Tensor x = random.normal({1, 4, 3}, 0, Real(0.5)) + Tensor({3}, {-2, 0, 2});
            const Tensor taps = random.normal({2, 1, 2}), in = random.normal({4, 3});
            return Inputs{x, taps, in, random.normal({3, 2})};
        },
        8);
}
