#include <recto/nn/denoising_unet.hpp>

#include <cmath>

#include <recto/autograd/tape.hpp>
#include <recto/nn/module.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/upsample.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("DenoisingUnetBlock: two convolutions and a shift for each channel", "[nn][denoising_unet]") {
    Generator random(1);
    const nn::DenoisingUnetBlock block(2, 3, 4, random);
    const Tensor x = random.normal({2, 2, 5, 4}), c = random.normal({2, 4});
    const std::vector<double> first = doubles(block.first(x)), shift = doubles(block.shifts[0](c));
    const auto bent = [](double v) { return v / (1 + std::exp(-v)); };
    std::vector<Real> h;
    for (std::size_t i = 0; i < first.size(); ++i) h.push_back(Real(bent(first[i] + shift[i / 20])));
    const std::vector<double> second = doubles(block.second(Tensor({2, 3, 5, 4}, h)));
    std::vector<double> want;
    for (std::size_t i = 0; i < h.size(); ++i) want.push_back(double(h[i]) + bent(second[i]));
    CHECK(close(block(x, c), want, 20 * usual));
}

TEST_CASE("DenoisingUnet: levels, skips and conditions, on every device",
          "[nn][denoising_unet][devices][row:sys-denoising-autoencoder/d][row:fig-7.2/e]") {
    const Device device = GENERATE(from_range(devices()));
    const bool skips = GENERATE(true, false);
    CAPTURE(device, skips);
    const auto run = [&](Device where) {
        Generator random(2);
        const nn::DenoisingUnet net(
            {.channels = 2, .width = 3, .levels = 2, .skips = skips, .conditions = 4, .device = where}, random);
        const Tensor x = random.normal({3, 2, 8, 12}, 0, 1, where), c = random.normal({3, 4}, 0, 1, where);
        const Tensor y = net(x, c);
        mean(y * y).backward();
        std::vector<Tensor> found = {y};
        for (const NamedTensor& p : nn::parameters(net)) found.push_back(p.tensor.grad());
        return found;
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    REQUIRE(want.size() == 1 + 3 * 6 + 2 * 2 + 2 * 6 + 2);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(close(got[i], doubles(want[i]), 50 * usual));
}

TEST_CASE("DenoisingUnet: the encoder's features reach the decoder at the same resolution", "[nn][denoising_unet]") {
    Generator random(3), same(3);
    const nn::DenoisingUnet with({.width = 2, .levels = 1}, random),
        without({.width = 2, .levels = 1, .skips = false}, same);
    const Tensor x = random.normal({1, 1, 4, 6});
    const auto by_hand = [&](const nn::DenoisingUnet& net, bool skips) {
        const Tensor high = net.encoder[0](x), low = net.encoder[1](silu(net.halve[0](high)));
        return net.last(net.decoder[0](concat({upsample_nearest(low, 2), skips ? high : high * 0}, 1)));
    };
    CHECK(close(with(x), doubles(by_hand(with, true)), 20 * usual));
    CHECK(close(without(x), doubles(by_hand(without, false)), 20 * usual));
    CHECK_FALSE(close(with(x), doubles(without(x)), 1e-3));
    CHECK(nn::count(with) == nn::count(without));
    const Index w = 2, block = 9 * w + w + 9 * w * w + w, low = 2 * (9 * 4 * w * w + 2 * w),
                half = 9 * 2 * w * w + 2 * w, high = 9 * 3 * w * w + w + 9 * w * w + w;
    CHECK(nn::count(with) == block + half + low + high + 9 * w + 1);
}

TEST_CASE("DenoisingUnet: sizes without levels, and messages", "[nn][denoising_unet]") {
    Generator random(4);
    CHECK(nn::DenoisingUnet({.levels = 0}, random)(random.normal({2, 1, 5, 3})).shape() == Shape{2, 1, 5, 3});
    const nn::DenoisingUnet net({.width = 2, .levels = 2}, random),
        timed({.width = 2, .levels = 1, .conditions = 3}, random);
    CHECK(net(zeros({0, 1, 4, 4})).shape() == Shape{0, 1, 4, 4});
    CHECK_THROWS_WITH(
        net(zeros({1, 1, 6, 4})),
        "DenoisingUnet: wanted (batch, 1, height, width) with height and width divisible by 4, got (1, 1, 6, 4)");
    CHECK_THROWS_WITH(net(zeros({1, 1, 4, 4}), zeros({1, 3})),
                      "DenoisingUnet: wanted conditions of shape (1, 0), or none if that is 0 wide, got (1, 3)");
    CHECK_THROWS_WITH(timed(zeros({2, 1, 4, 4})),
                      "DenoisingUnet: wanted conditions of shape (2, 3), or none if that is 0 wide, got none");
    CHECK_THROWS_WITH(nn::DenoisingUnet({.levels = -1}, random),
                      "DenoisingUnet: wanted levels and conditions >= 0, got -1 and 0");
    CHECK_THROWS_WITH(nn::DenoisingUnet({.width = 0}, random),
                      "DenoisingUnet: wanted at least one channel, got 1 of images and 0 of features");
}

GRADIENT_TEST("DenoisingUnet") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(5);
            nn::DenoisingUnet net({.width = 1, .levels = 1, .conditions = 2, .device = x[0].device()}, random);
            net.halve[0].weight = x[2];
            return net(x[0], x[1]);
        },
        [](Generator& random) {
            const Tensor images = random.normal({2, 1, 2, 4}), conditions = random.normal({2, 2});
            const Tensor weight = random.normal({2, 1, 3, 3});
            return Inputs{images, conditions, weight};
        },
        8);
}
