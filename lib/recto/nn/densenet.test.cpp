#include <recto/nn/densenet.hpp>

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
const nn::DenseNetSize tiny{
    .blocks = {2, 3}, .growth = 3, .narrow = 4, .stem = 4, .channels = 2, .classes = 5, .large = false};

}  // namespace

TEST_CASE("DenseBlock: the input, then each layer of all before it", "[nn][densenet][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index narrow = GENERATE(0, 2);
    Generator random(1);
    const nn::DenseBlock block({.in = 3, .layers = 3, .growth = 2, .narrow = narrow}, random, device);
    const Tensor x = random.normal({2, 3, 4, 5}, 0, 1, device);
    const Tensor y = block(x);
    REQUIRE(y.shape() == Shape{2, 3 + 3 * 2, 4, 5});
    CHECK(same_bits(slice(y, 1, 0, 3), x));
    for (Index l = 0; l < 3; ++l) {
        const Tensor before = slice(y, 1, 0, 3 + 2 * l), own = slice(y, 1, 3 + 2 * l, 5 + 2 * l);
        const nn::DenseLayer& layer = block.layers[std::size_t(l)];
        CHECK(close(own, doubles(layer(before))));
        CHECK(layer.narrow.has_value() == (narrow > 0));
        const Index last = narrow > 0 ? narrow : 3 + 2 * l;
        CHECK(std::get<2>(layer.widen.parts).weight.shape() == Shape{2, last, 3, 3});
    }
}

TEST_CASE("DenseBlock and DenseNet: every device agrees with the CPU, forward and backward",
          "[nn][densenet][devices][row:sys-densenet/d]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(2);
    check_same_on(device, nn::DenseBlock({.in = 4, .layers = 2, .growth = 3, .narrow = 4}, random),
                  random.normal({3, 4, 6, 6}));
    check_same_on(device, nn::DenseNet(tiny, random), random.normal({4, 2, 8, 8}));
}

TEST_CASE("DenseNet: sizes and parameters", "[nn][densenet]") {
    Generator random(3);
    const nn::DenseNet net(tiny, random);
    CHECK(net(random.normal({2, 2, 8, 12})).shape() == Shape{2, 5});
    const auto layer = [](Index in) { return 2 * in + in * 4 + 2 * 4 + 4 * 3 * 9; };
    CHECK(nn::count(net) ==
          2 * 4 * 9 + layer(4) + layer(7) + (2 * 10 + 10 * 5) + layer(5) + layer(8) + layer(11) + 2 * 14 + 14 * 5 + 5);
    nn::DenseNetSize large = tiny;
    large.large = true, large.narrow = 0;
    const nn::DenseNet other(large, random);
    CHECK(other(random.normal({2, 2, 32, 40})).shape() == Shape{2, 5});
    CHECK(nn::state(other)[0].tensor.shape() == Shape{4, 2, 7, 7});
    CHECK(nn::state(net).front().name == "stem.weight");
    CHECK(nn::state(net).back().name == "head.bias");
}

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
TEST_CASE("DenseBlock: gradient", "[nn][densenet][gradient]") {
    const auto block = [](const Inputs& x) {
        Generator random(4);
        nn::DenseBlock dense({.in = 2, .layers = 2, .growth = 1}, random, x[0].device());
        for (std::size_t l = 0; l < 2; ++l) {
            auto& [norm, kink, conv] = dense.layers[l].widen.parts;
            conv.weight = x[l + 1];
            norm.bias = full(norm.bias.shape(), 8, x[0].device());  // away from the kink
        }
        return dense(x[0]);
    };
    const auto make = [](Generator& random) {
        const Tensor x = random.uniform({2, 2, 3, 3}, -1, 1), first = random.uniform({1, 2, 3, 3}, 1, 2),
                     second = random.uniform({1, 3, 3, 3}, 1, 2);
        return Inputs{x, first, second};
    };
    check_gradient(block, make, 8);
}
#endif

TEST_CASE("DenseNet: messages", "[nn][densenet]") {
    Generator random(5);
    CHECK_THROWS_WITH(nn::DenseNet({.blocks = {}}, random), "DenseNet: wanted at least one block, got none");
    CHECK_THROWS_WITH(nn::DenseBlock({4, 0, 2}, random), "DenseBlock: wanted at least one layer, got 0");
}
