#include <recto/nn/resnet.hpp>

#include <recto/nn/init.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/gradcheck.hpp>
#include <recto/testing/same_on_device.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// A network small enough for every test.
const nn::ResNetSize tiny{.blocks = {1, 2}, .width = 3, .channels = 2, .classes = 5};

}  // namespace

TEST_CASE("Bottleneck: its parts, one after another", "[nn][resnet][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const bool later = GENERATE(false, true);
    Generator random(1);
    const nn::Bottleneck block({.in = 4, .narrow = 2, .out = 6, .stride = 2}, random,
                               {.stride_on_3x3 = later, .device = device});
    const Tensor x = random.normal({3, 4, 6, 6}, 0, 1, device);
    const std::vector<Tensor> w = [&] {
        std::vector<Tensor> found;
        for (const NamedTensor& t : nn::state(block)) found.push_back(t.tensor);
        return found;
    }();
    const auto norm = [](const Tensor& h) {  // fresh: scale 1 and shift 0
        const Tensor mean_of = mean(h, {0, 2, 3}, Keep::yes), away = h - mean_of;
        return away / sqrt(mean(away * away, {0, 2, 3}, Keep::yes) + 1e-5);
    };
    Tensor h = relu(norm(conv2d(x, w[0], Tensor(), {.stride = later ? 1 : 2})));
    h = relu(norm(conv2d(h, w[5], Tensor(), {.stride = later ? 2 : 1, .padding = 1})));
    h = norm(conv2d(h, w[10], Tensor())) + norm(conv2d(x, w[15], Tensor(), {.stride = 2}));
    CHECK(close(block(x), doubles(relu(h)), 10 * usual));
    CHECK(nn::parameters(block)[3].name == "path.3.weight");
    CHECK(nn::parameters(block)[9].name == "projection.0.weight");
}

TEST_CASE("Bottleneck: sizes with and without a stride", "[nn][resnet][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const bool later = GENERATE(false, true);
    Generator random(2);
    const auto result = [&](const nn::BottleneckSize& size, const Shape& x) {
        const nn::Bottleneck block(size, random, {.stride_on_3x3 = later, .device = device});
        CHECK(block.projection.has_value() == (size.stride > 1 || size.in != size.out));
        return block(random.normal(x, 0, 1, device)).shape();
    };
    CHECK(result({8, 4, 16, 2}, {2, 8, 6, 10}) == Shape{2, 16, 3, 5});
    CHECK(result({8, 4, 16, 2}, {2, 8, 7, 9}) == Shape{2, 16, 4, 5});
    CHECK(result({8, 2, 8}, {2, 8, 6, 10}) == Shape{2, 8, 6, 10});
    CHECK(result({3, 4, 16}, {2, 3, 6, 10}) == Shape{2, 16, 6, 10});
    CHECK(result({6, 2, 8, 3}, {2, 6, 9, 10}) == Shape{2, 8, 3, 4});
}

TEST_CASE("Bottleneck: fewer weights than two 3x3 convolutions", "[nn][resnet]") {
    Generator random(3);
    const nn::Bottleneck block({256, 64, 256}, random);
    const Index norms = 2 * (64 + 64 + 256);
    CHECK(nn::count(block) - norms == 69'632);
    const nn::Conv2d plain(256, 256, 3, random, {.bias = false, .weights = nn::zeros_init});
    CHECK(2 * nn::count(plain) == 1'179'648);
}

TEST_CASE("Bottleneck: with zero_last only the shortcut remains", "[nn][resnet][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(4);
    const nn::Bottleneck block({6, 3, 6}, random, {.zero_last = true, .device = device}),
        strided({6, 3, 9, 2}, random, {.zero_last = true, .device = device});
    const Tensor x = random.normal({2, 6, 5, 5}, 0, 1, device);
    CHECK(same_bits(block(x), relu(x)));
    CHECK(same_bits(strided(x), relu((*strided.projection)(x))));
    CHECK(nn::count(block) == nn::count(nn::Bottleneck({6, 3, 6}, random)));
}

TEST_CASE("Bottleneck: every device agrees with the CPU, forward and backward",
          "[nn][resnet][devices][row:sys-bottleneck-block/d][row:sys-downscaling-block/d]") {
    const Device device = GENERATE(from_range(devices()));
    const Index stride = GENERATE(1, 2);
    CAPTURE(device, stride);
    Generator random(5);
    const nn::Bottleneck block({8, 4, 8 * stride, stride}, random);
    check_same_on(device, block, random.normal({3, 8, 6, 6}));
}

TEST_CASE("ResNet: every device agrees with the CPU, forward and backward",
          "[nn][resnet][devices][row:sys-resnet-50/e]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(6);
    check_same_on(device, nn::ResNet(tiny, random), random.normal({4, 2, 32, 32}));
}

TEST_CASE("ResNet: stages, sizes and parameters", "[nn][resnet]") {
    Generator random(7);
    const nn::ResNet net(tiny, random);
    Tensor x = random.normal({2, 2, 36, 28});
    CHECK(net(x).shape() == Shape{2, 5});
    x = net.pool(net.stem(x));
    CHECK(x.shape() == Shape{2, 3, 9, 7});
    REQUIRE(net.stages.size() == 2);
    REQUIRE(net.stages[1].size() == 2);
    x = net.stages[0][0](x);
    CHECK(x.shape() == Shape{2, 12, 9, 7});
    x = net.stages[1][1](net.stages[1][0](x));
    CHECK(x.shape() == Shape{2, 24, 5, 4});
    const auto block = [](Index in, Index narrow, bool projects) {
        const Index out = 4 * narrow, shortcut = projects ? in * out + 2 * out : 0;
        return in * narrow + 9 * narrow * narrow + narrow * out + 2 * (2 * narrow + out) + shortcut;
    };
    CHECK(nn::count(net) ==
          2 * 3 * 49 + 2 * 3 + block(3, 3, true) + block(12, 6, true) + block(24, 6, false) + 24 * 5 + 5);
    const NamedTensors all = nn::state(net);
    CHECK(all.front().name == "stem.0.weight");
    CHECK(all.back().name == "head.bias");
}

TEST_CASE("ResNet: evaluation uses the running statistics, so that a sample is on its own", "[nn][resnet]") {
    Generator random(8);
    nn::ResNet net(tiny, random);
    const Tensor x = random.normal({3, 2, 32, 32});
    const auto alone = [&] { return net(slice(x, 0, 1, 2)); };
    CHECK_FALSE(close(alone(), doubles(slice(net(x), 0, 1, 2)), 1e-3));
    nn::set_training(net, false);
    CHECK(close(alone(), doubles(slice(net(x), 0, 1, 2))));
}

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
TEST_CASE("Bottleneck: gradient", "[nn][resnet][gradient]") {
    const bool later = GENERATE(false, true);
    // A normalised number of 2 x 4 x 4 is less than 6 away from 0, so these shifts keep each unit on its side of the kink.
    const Tensor shift({3}, {8, -8, 8}), last({4}, {30, -30, 30, 30});
    const auto layer = [&](const Inputs& x) {
        Generator random(9);
        nn::Bottleneck block({2, 3, 4, 2}, random, {.stride_on_3x3 = later});
        nn::to(block, x[0].device());
        std::get<0>(block.path.parts).weight = x[1], std::get<3>(block.path.parts).weight = x[2];
        std::get<6>(block.path.parts).weight = x[3], std::get<7>(block.path.parts).weight = x[4];
        std::get<0>(block.projection->parts).weight = x[5];
        for (nn::BatchNorm* norm : {&std::get<1>(block.path.parts), &std::get<4>(block.path.parts)})
            norm->bias = shift.to(x[0].device());
        std::get<7>(block.path.parts).bias = last.to(x[0].device());
        return block(x[0]);
    };
    // Scales of at least 1: normalisation is steep where numbers are nearly equal.
    const auto make = [](Generator& random) {
        return Inputs{random.uniform({2, 2, 4, 4}, -1, 1), random.uniform({3, 2, 1, 1}, 1, 2),
                      random.normal({3, 3, 3, 3}),         random.uniform({4, 3, 1, 1}, 1, 2),
                      random.uniform({4}, 1, 2),           random.uniform({4, 2, 1, 1}, 1, 2)};
    };
    check_gradient(layer, make, 8);
}
#endif

TEST_CASE("ResNet: messages", "[nn][resnet]") {
    Generator random(10);
    CHECK_THROWS_WITH(nn::ResNet({.blocks = {}}, random), "ResNet: wanted at least one stage, got none");
    CHECK_THROWS_WITH(nn::ResNet({.blocks = {2, 0}, .width = 4}, random),
                      "ResNet: wanted at least one block in every stage, got 0");
    CHECK_THROWS_WITH(nn::Bottleneck({4, 0, 4}, random), "Conv2d: wanted at least one channel, got 4 in and 0 out");
    CHECK_THROWS_WITH(nn::Bottleneck({4, 2, 4, 0}, random), "Conv2d: wanted a stride of at least 1, got (0, 0)");
}
