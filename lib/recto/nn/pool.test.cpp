#include <recto/nn/pool.hpp>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("nn: pooling has the shapes of its operations", "[nn][pool][devices]") {
    const Tensor images = Generator(1).normal({2, 4, 7, 9}, 0, 1, GENERATE(from_range(devices())));
    CHECK(same_bits(nn::MaxPool2d{3}(images), max_pool2d(images, 3)));
    CHECK(nn::MaxPool2d{3}(images).shape() == Shape{2, 4, 2, 3});
    CHECK(same_bits(nn::AvgPool2d{2, {.stride = 1}}(images), avg_pool2d(images, 2, {.stride = 1})));
    CHECK(nn::AvgPool2d{2, {.stride = 1}}(images).shape() == Shape{2, 4, 6, 8});
}
