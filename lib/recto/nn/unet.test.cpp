#include <recto/nn/unet.hpp>

#include <algorithm>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/pool.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>
#include <recto/testing/same_on_device.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("UNet: the answer has the size of the image", "[nn][unet][row:sys-unet/a][row:sys-semantic-segmentation/c]") {
    Generator random(1);
    const nn::UNet net({.in = 2, .out = 5, .channels = {3, 4, 5}}, random);
    for (const Index height : {4, 8, 12, 20, 64})
        for (const Index width : {4, 8, 16, 28})
            CHECK(net(random.normal({2, 2, height, width})).shape() == Shape{2, 5, height, width});
    const nn::UNet flat({.in = 1, .out = 2, .channels = {3}}, random);  // no change of resolution at all
    CHECK(flat(random.normal({1, 1, 5, 7})).shape() == Shape{1, 2, 5, 7});
    CHECK(nn::count(flat) == (3 * 9 + 3) + (3 * 2 + 2));
    const auto params = [](Index in, Index out, Index k) { return in * out * k * k + out; };
    CHECK(nn::count(net) == params(2, 3, 3) + params(3, 4, 3) + params(4, 5, 3) + params(5, 4, 2) + params(8, 4, 3) +
                                params(4, 3, 2) + params(6, 3, 3) + params(3, 5, 1));
}

TEST_CASE("UNet: down and up, step by step", "[nn][unet][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const bool skips = GENERATE(true, false);
    Generator random(2);
    const nn::UNet net({.in = 2, .out = 3, .channels = {3, 4, 5}, .skips = skips}, random, device);
    const Tensor x = random.normal({2, 2, 8, 12}, 0, 1, device);
    const Tensor fine = relu(net.down[0](x)), middle = relu(net.down[1](max_pool2d(fine, 2))),
                 coarse = relu(net.down[2](max_pool2d(middle, 2)));
    CHECK(coarse.shape() == Shape{2, 5, 2, 3});
    const Tensor first = net.up[0](coarse);
    const Tensor joined = relu(net.join[0](concat({first, skips ? middle : first}, 1)));
    const Tensor second = net.up[1](joined);
    const Tensor last = relu(net.join[1](concat({second, skips ? fine : second}, 1)));
    CHECK(same_bits(net(x), net.leave(last)));
}

TEST_CASE("PyramidPooling: the map, then the mean of each cell of each grid", "[nn][unet][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(3);
    const nn::PyramidPooling pool(3, 2, random, {1, 2}, device);
    const Tensor x = random.normal({2, 3, 4, 6}, 0, 1, device), y = pool(x);
    REQUIRE(y.shape() == Shape{2, 3 + 2 * 2, 4, 6});
    CHECK(same_bits(slice(y, 1, 0, 3), x));
    // The corners of an enlarged grid lie outside all centres but one: they have the number of their cell.
    const std::vector<double> in = doubles(x), w = doubles(pool.narrow[1].weight), b = doubles(pool.narrow[1].bias);
    std::vector<double> want;
    for (std::size_t n = 0; n < 2; ++n)
        for (std::size_t o = 0; o < 2; ++o) {
            double score = b[o];
            for (std::size_t c = 0; c < 3; ++c) {
                double mean = 0;
                for (std::size_t row = 0; row < 2; ++row)
                    for (std::size_t column = 0; column < 3; ++column)
                        mean += in[((n * 3 + c) * 4 + row) * 6 + column] / 6;
                score += w[o * 3 + c] * mean;
            }
            want.push_back(std::max(score, 0.0));
        }
    CHECK(close(contiguous(slice(slice(slice(y, 1, 5, 7), 2, 0, 1), 3, 0, 1)), want));
    CHECK(nn::count(pool) == 2 * (3 * 2 + 2));
}

TEST_CASE("PyramidPooling: the global branch is constant over space", "[nn][unet][devices][row:sys-pspnet/a]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(4);
    const nn::PyramidPooling pool(4, 3, random, {1, 2, 3, 6}, device);
    const Tensor x = random.normal({2, 4, 9, 7}, 0, 1, device);
    const std::vector<Tensor> branches = pool.branches(x);
    REQUIRE(branches.size() == 4);
    const auto spread = [](const Tensor& t) { return double(max(max(t, {2, 3}) - min(t, {2, 3})).item()); };
    CHECK(spread(branches[0]) == 0);
    CHECK(double(max(branches[0]).item()) > 0);
    for (std::size_t k = 1; k < 4; ++k) CHECK(spread(branches[k]) > 0);
    for (const Tensor& branch : branches) CHECK(branch.shape() == Shape{2, 3, 9, 7});
    CHECK(pool(x).size(1) == 4 + 4 * 3);
}

TEST_CASE("UNet and PyramidPooling: every device agrees with the CPU, forward and backward",
          "[nn][unet][devices][row:sys-unet/d][row:sys-semantic-segmentation/d]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(5);
    check_same_on(device, nn::UNet({.in = 2, .out = 3, .channels = {3, 4, 5}}, random), random.normal({2, 2, 8, 12}));
    check_same_on(device, nn::PyramidPooling(3, 2, random), random.normal({2, 3, 8, 7}));
}

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
TEST_CASE("UNet: gradient", "[nn][unet][gradient][row:sys-unet/b]") {
    const auto net = [](const Inputs& x) {
        Generator random(6);
        nn::UNet net({.in = 1, .out = 2, .channels = {2, 2, 1}}, random, x[0].device());
        net.down[0].weight = x[1], net.down[2].weight = x[2], net.up[0].weight = x[3], net.join[1].weight = x[4];
        net.leave.weight = x[5];
        for (const NamedTensor& t : nn::state(net))  // all units on, far from the kinks
            if (t.name.ends_with("bias")) {
                Tensor bias = t.tensor;
                bias.copy_(full(bias.shape(), 50, x[0].device()));
            }
        return net(x[0]);
    };
    const auto make = [](Generator& random) {
        // No two pixels of a channel are nearly equal: the maximum has no kink there.
        std::vector<Real> apart;
        for (int i = 0; i < 16; ++i) apart.push_back(Real((7 * i) % 16) / 4);
        const Tensor x = Tensor({1, 1, 4, 4}, apart) + random.uniform({1, 1, 4, 4}, 0, Real(0.05));
        // The centre of each kernel outweighs the rest, so that the order of the pixels stays.
        const Tensor first =
            random.uniform({2, 1, 3, 3}, 0, Real(0.005)) + Tensor({1, 1, 3, 3}, {0, 0, 0, 0, 1, 0, 0, 0, 0});
        return Inputs{x,
                      first,
                      random.uniform({1, 2, 3, 3}, 0, 1),
                      random.uniform({1, 2, 2, 2}, 0, 1),
                      random.uniform({2, 4, 3, 3}, 0, 1),
                      random.uniform({2, 2, 1, 1}, -1, 1)};
    };
    check_gradient(net, make, 4);
}

TEST_CASE("PyramidPooling: gradient", "[nn][unet][gradient]") {
    const auto pooled = [](const Inputs& x) {
        Generator random(7);
        nn::PyramidPooling pool(2, 1, random, {1, 3}, x[0].device());
        pool.narrow[0].weight = x[1], pool.narrow[1].weight = x[2];
        for (nn::Conv2d& layer : pool.narrow) layer.bias = full({1}, 9, x[0].device());  // far from the kink
        return pool(x[0]);
    };
    const auto make = [](Generator& random) {
        return Inputs{random.uniform({1, 2, 4, 5}, -1, 1), random.uniform({1, 2, 1, 1}, 0, 1),
                      random.uniform({1, 2, 1, 1}, 0, 1)};
    };
    check_gradient(pooled, make, 4);
}
#endif

TEST_CASE("UNet and PyramidPooling: messages", "[nn][unet]") {
    Generator random(8);
    CHECK_THROWS_WITH(nn::UNet({.in = 1, .out = 2, .channels = {}}, random),
                      "UNet: wanted channels for at least one resolution, got none");
    const nn::UNet net({.in = 1, .out = 2, .channels = {2, 2, 2}}, random);
    CHECK_THROWS_WITH(net(ones({1, 1, 8, 6})),
                      "UNet: wanted (batch, channels, height, width) with multiples of 4, got shape (1, 1, 8, 6)");
    CHECK_THROWS_WITH(net(ones({1, 8, 8})),
                      "UNet: wanted (batch, channels, height, width) with multiples of 4, got shape (1, 8, 8)");
    CHECK_THROWS_WITH(nn::PyramidPooling(2, 1, random, {}),
                      "PyramidPooling: wanted at least one grid, each of 1 or more rows, got 0 grids");
    CHECK_THROWS_WITH(nn::PyramidPooling(2, 1, random, {2, 0}),
                      "PyramidPooling: wanted at least one grid, each of 1 or more rows, got 2 grids");
    const nn::PyramidPooling pool(2, 1, random);
    CHECK_THROWS_WITH(pool(ones({2, 4, 4})),
                      "PyramidPooling: wanted (batch, channels, rows, columns), got shape (2, 4, 4)");
}
