#include <recto/nn/scale.hpp>

#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("Scale: one number for a layer, or one for each unit", "[nn][scale][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    const Tensor x({2, 3}, {1, 2, 3, 4, 5, 6});
    nn::Scale whole(1, {.start = 2, .device = device}), units(3, {.device = device});
    CHECK(close(whole(x.to(device)), {2, 4, 6, 8, 10, 12}));
    CHECK(same_bits(units(x.to(device)), x.to(device)));
    units.weight = Tensor({3}, {1, 0, -1}).to(device), units.bias = Tensor({3}, {10, 20, 30}).to(device);
    CHECK(close(units(x.to(device)), {11, 20, 27, 14, 20, 24}));
    CHECK(nn::count(nn::Scale(3)) == 6);
    CHECK(nn::count(nn::Scale(1, {.bias = false})) == 1);
}

TEST_CASE("Scale: after a Linear it is another Linear", "[nn][scale]") {
    Generator random(2);
    const nn::Linear layer(4, 3, random);
    nn::Scale scale(3);
    scale.weight = random.normal({3}).requires_grad_(), scale.bias = random.normal({3}).requires_grad_();
    nn::Linear both = layer;
    both.weight = layer.weight * reshape(scale.weight, {3, 1}), both.bias = layer.bias * scale.weight + scale.bias;
    const Tensor x = random.normal({5, 4});
    CHECK(close(scale(layer(x)), doubles(both(x))));
}

TEST_CASE("Scale: messages", "[nn][scale]") {
    const nn::Scale three(3);
    CHECK_THROWS_WITH(three(ones({2, 1})), "Scale: wanted (..., 3), got shape (2, 1)");
    CHECK_THROWS_WITH(three(ones({3, 2})), "Scale: wanted (..., 3), got shape (3, 2)");
    CHECK(nn::Scale(1)(ones({3, 2})).shape() == Shape{3, 2});
}

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
TEST_CASE("Scale: gradient", "[nn][scale][gradient]") {
    const Index units = GENERATE(1, 3);
    const auto layer = [units](const Inputs& x) {
        nn::Scale scale(units, {.device = x[0].device()});
        scale.weight = x[1], scale.bias = x[2];
        return scale(x[0]);
    };
    const auto make = [units](Generator& random) {
        const Tensor x = random.normal({2, 3}), s = random.normal({units}), b = random.normal({units});
        return Inputs{x, s, b};
    };
    check_gradient(layer, make, 8);
}
#endif
