#include <recto/nn/poolformer.hpp>

#include <algorithm>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// The mean over the neighbours inside the image, less the pixel, by loops.
std::vector<double> mixed(const std::vector<double>& x, Index images, Index H, Index W, Index window) {
    std::vector<double> y;
    const Index reach = window / 2;
    for (Index n = 0; n < images; ++n)
        for (Index r = 0; r < H; ++r)
            for (Index c = 0; c < W; ++c) {
                double total = 0, count = 0;
                for (Index i = std::max(Index(0), r - reach); i <= std::min(H - 1, r + reach); ++i)
                    for (Index j = std::max(Index(0), c - reach); j <= std::min(W - 1, c + reach); ++j)
                        total += x[std::size_t((n * H + i) * W + j)], ++count;
                y.push_back(total / count - x[std::size_t((n * H + r) * W + c)]);
            }
    return y;
}

}  // namespace

TEST_CASE("pool_mixer: the mean of the neighbours less the pixel", "[nn][poolformer][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index window = GENERATE(1, 3, 5);
    Generator random(1);
    const Tensor x = random.normal({2, 3, 5, 4}, 0, 1, device);
    CHECK(close(nn::pool_mixer(x, window), mixed(doubles(x), 6, 5, 4, window)));
    CHECK_THROWS_WITH(nn::pool_mixer(x, 2), "pool_mixer: wanted an odd window, got 2");
}

TEST_CASE("PoolFormerBlock: its two branches", "[nn][poolformer][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(2);
    nn::PoolFormerBlock block(4, 8, random, 0.5, device);
    const Tensor x = random.normal({2, 4, 5, 3}, 0, 1, device);
    const Tensor first = x + nn::pool_mixer(group_norm(x, 1)) * 0.5,
                 second = conv2d(gelu(conv2d(group_norm(first, 1), block.widen.weight, block.widen.bias)),
                                 block.narrow.weight, block.narrow.bias);
    CHECK(close(block(x), doubles(first + second * 0.5), 10 * usual));
    CHECK(nn::count(block) == 4 * 4 + (4 * 8 + 8) + (8 * 4 + 4) + 2 * 4);
}

TEST_CASE("PoolFormerBlock: every device agrees with the CPU, forward and backward",
          "[nn][poolformer][devices][row:sys-poolformer/c]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(3);
        const nn::PoolFormerBlock block(4, 6, random, 1, where);
        const Tensor x = random.normal({3, 4, 5, 6}, 0, 1, where).requires_grad_();
        const Tensor y = block(x);
        sum(y * y).backward();
        std::vector<Tensor> found = {y, x.grad()};
        for (const NamedTensor& p : nn::parameters(block)) found.push_back(p.tensor.grad());
        return found;
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    for (std::size_t i = 0; i < want.size(); ++i) {
        CAPTURE(i);
        CHECK(close(got[i], doubles(want[i]), 50 * usual));
    }
}

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
TEST_CASE("PoolFormerBlock: gradient", "[nn][poolformer][gradient]") {
    const auto layer = [](const Inputs& x) {
        Generator random(4);
        nn::PoolFormerBlock block(2, 3, random, 1, x[0].device());
        block.widen.weight = x[1], block.narrow.weight = x[2], block.scale_mix = x[3], block.scale_narrow = x[4];
        return block(x[0]);
    };
    const auto make = [](Generator& random) {
        const Tensor x = random.normal({2, 2, 3, 4}), widen = random.normal({3, 2, 1, 1}),
                     narrow = random.normal({2, 3, 1, 1}), mix = random.normal({2, 1, 1}),
                     last = random.normal({2, 1, 1});
        return Inputs{x, widen, narrow, mix, last};
    };
    check_gradient(layer, make, 8);
}
#endif
