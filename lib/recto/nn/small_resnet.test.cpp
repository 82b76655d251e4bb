#include <recto/nn/small_resnet.hpp>

#include <recto/nn/init.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>
#include <recto/testing/same_on_device.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// A network small enough for every test.
const nn::SmallResNetSize tiny{.blocks = 2, .widths = {3, 4, 5}, .channels = 2, .classes = 6};

/// Batch normalisation of a fresh layer: scale 1 and shift 0.
Tensor fresh_norm(const Tensor& h) {
    const Tensor mean_of = mean(h, {0, 2, 3}, Keep::yes), away = h - mean_of;
    return away / sqrt(mean(away * away, {0, 2, 3}, Keep::yes) + 1e-5);
}

}  // namespace

TEST_CASE("ConvBlock: its parts, one after another", "[nn][small_resnet][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const bool residual = GENERATE(false, true);
    Generator random(1);
    const nn::ConvBlock block(4, 6, 2, random, {.residual = residual, .device = device});
    const Tensor x = random.normal({3, 4, 5, 6}, 0, 1, device);
    const Tensor middle = relu(fresh_norm(conv2d(x, block.first.weight, Tensor(), {.stride = 2, .padding = 1})));
    const Tensor path = fresh_norm(conv2d(middle, block.second.weight, Tensor(), {.padding = 1}));
    const Tensor around = concat({slice(slice(x, 2, 0, 5, 2), 3, 0, 6, 2), zeros({3, 2, 3, 3}, device)}, 1);
    CHECK(close(block.path(x), doubles(path), 10 * usual));
    CHECK(same_bits(block.shortcut(x), around));
    CHECK(close(block(x), doubles(relu(residual ? path + around : path)), 10 * usual));
}

TEST_CASE("ConvBlock: a shortcut that keeps the shape is the input", "[nn][small_resnet][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(2);
    const nn::ConvBlock block(3, 3, 1, random, {.device = device});
    const Tensor x = random.normal({2, 3, 4, 5}, 0, 1, device);
    CHECK(same_bits(block.shortcut(x), x));
    CHECK(block.path(x).shape() == x.shape());
    CHECK(close(block(x), doubles(relu(block.path(x) + x)), 10 * usual));
}

TEST_CASE("SmallResNet: the parameters of 6n + 2 layers", "[nn][small_resnet]") {
    Generator random(3);
    const nn::SmallResNet net({}, random);
    CHECK(nn::count(net) == 269'722);
    CHECK(nn::count(nn::SmallResNet({}, random, {.residual = false})) == 269'722);
    const nn::SmallResNet deep({.blocks = 5}, random);
    CHECK(deep.blocks.size() == 15);
    CHECK(nn::count(deep) - nn::count(net) == 2 * 2 * (9 * (16 * 16 + 32 * 32 + 64 * 64) + 2 * (16 + 32 + 64)));
}

TEST_CASE("SmallResNet: stages and sizes", "[nn][small_resnet]") {
    Generator random(4);
    const nn::SmallResNet net(tiny, random);
    Tensor x = net.stem(random.normal({2, 2, 10, 7}));
    CHECK(x.shape() == Shape{2, 3, 10, 7});
    const std::vector<Shape> want = {{2, 3, 10, 7}, {2, 3, 10, 7}, {2, 4, 5, 4},
                                     {2, 4, 5, 4},  {2, 5, 3, 2},  {2, 5, 3, 2}};
    REQUIRE(net.blocks.size() == want.size());
    for (std::size_t k = 0; k < want.size(); ++k) {
        x = net.blocks[k](x);
        CHECK(x.shape() == want[k]);
    }
    CHECK(net.scores(x).shape() == Shape{2, 6});
    const nn::SmallResNet coarse({.stride = 2, .channels = 1}, random);
    CHECK(coarse.stem(random.normal({1, 1, 28, 28})).shape() == Shape{1, 16, 14, 14});
    const NamedTensors all = nn::state(net);
    CHECK(all.front().name == "enter.weight");
    CHECK(all.back().name == "head.bias");
}

TEST_CASE("SmallResNet: every device agrees with the CPU, forward and backward",
          "[nn][small_resnet][devices][row:sys-resnet/c]") {
    const Device device = GENERATE(from_range(devices()));
    const bool residual = GENERATE(false, true);
    Generator random(5);
    check_same_on(device, nn::SmallResNet(tiny, random, {.residual = residual}), random.normal({4, 2, 12, 12}));
}

TEST_CASE("SmallResNet: evaluation uses the running statistics, so that a sample is on its own", "[nn][small_resnet]") {
    Generator random(6);
    nn::SmallResNet net(tiny, random);
    const Tensor x = random.normal({3, 2, 8, 8});
    const auto alone = [&] { return net(slice(x, 0, 1, 2)); };
    CHECK_FALSE(close(alone(), doubles(slice(net(x), 0, 1, 2)), 1e-3));
    nn::set_training(net, false);
    CHECK(close(alone(), doubles(slice(net(x), 0, 1, 2))));
}

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
TEST_CASE("ConvBlock: gradient", "[nn][small_resnet][gradient]") {
    const bool residual = GENERATE(false, true);
    // A normalised number of 2 x 2 x 2 is less than 3 away from 0, so these shifts keep each unit on its side of the kink.
    const Tensor shift({3}, {5, -5, 5});
    const auto layer = [&](const Inputs& x) {
        Generator random(7);
        nn::ConvBlock block(2, 3, 2, random, {.residual = residual});
        nn::to(block, x[0].device());
        block.first.weight = x[1], block.second.weight = x[2];
        block.first_norm.bias = shift.to(x[0].device()), block.second_norm.bias = shift.to(x[0].device());
        return block(x[0]);
    };
    const auto make = [](Generator& random) {
        return Inputs{random.uniform({2, 2, 4, 4}, -1, 1), random.normal({3, 2, 3, 3}), random.normal({3, 3, 3, 3})};
    };
    check_gradient(layer, make, 8);
}
#endif

TEST_CASE("SmallResNet: messages", "[nn][small_resnet]") {
    Generator random(8);
    CHECK_THROWS_WITH(nn::SmallResNet({.blocks = 0}, random),
                      "SmallResNet: wanted at least one block in every stage, got 0");
    CHECK_THROWS_WITH(nn::ConvBlock(4, 3, 1, random),
                      "ConvBlock: wanted at least the 4 channels of the input, got 3 out");
    CHECK_NOTHROW(nn::ConvBlock(4, 3, 1, random, {.residual = false}));
    CHECK_THROWS_WITH(nn::ConvBlock(4, 4, 0, random), "Conv2d: wanted a stride of at least 1, got (0, 0)");
}
