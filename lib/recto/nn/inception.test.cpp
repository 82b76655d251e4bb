#include <recto/nn/inception.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>
#include <recto/testing/same_on_device.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

const nn::InceptionSize size{.in = 3, .one = 4, .narrow3 = 2, .three = 5, .narrow5 = 1, .five = 2, .pooled = 3};

}  // namespace

TEST_CASE("Inception: the channels of its branches, side by side", "[nn][inception][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    const nn::Inception block(size, random, device);
    const Tensor x = random.normal({2, 3, 5, 6}, 0, 1, device), y = block(x);
    REQUIRE(y.shape() == Shape{2, size.out(), 5, 6});
    Index at = 0;
    for (const Tensor& branch : block.branches(x)) {
        CHECK(same_bits(slice(y, 1, at, at + branch.size(1)), branch));
        at += branch.size(1);
    }
    CHECK(at == 4 + 5 + 2 + 3);
    const auto w = [&](int i) { return nn::state(block)[std::size_t(i)].tensor; };
    CHECK(close(block.three(x), doubles(relu(conv2d(relu(conv2d(x, w(2), w(3))), w(4), w(5), {.padding = 1})))));
    CHECK(close(block.five(x), doubles(relu(conv2d(relu(conv2d(x, w(6), w(7))), w(8), w(9), {.padding = 2})))));
    CHECK(close(block.pooled(x), doubles(relu(conv2d(max_pool2d(x, 3, {.stride = 1, .padding = 1}), w(10), w(11))))));
    CHECK(nn::count(block) == (3 * 4 + 4) + (3 * 2 + 2 + 2 * 5 * 9 + 5) + (3 + 1 + 2 * 25 + 2) + (3 * 3 + 3));
}

TEST_CASE("InceptionResidual: what it adds", "[nn][inception][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(2);
    const nn::InceptionResidual block(size, random, 0.5, device);
    const Tensor x = random.normal({2, 3, 4, 4}, 0, 1, device);
    CHECK(close(block(x), doubles(relu(x + block.project(block.block(x)) * 0.5))));
    CHECK(same_bits(nn::InceptionResidual(size, random, 0, device)(x), relu(x)));
}

TEST_CASE("Inception: every device agrees with the CPU, forward and backward",
          "[nn][inception][devices][row:sys-inception/d]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(3);
    const Tensor x = random.normal({3, 3, 6, 5});
    check_same_on(device, nn::Inception(size, random), x);
    check_same_on(device, nn::InceptionResidual(size, random), x);
}

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
TEST_CASE("Inception: gradient", "[nn][inception][gradient]") {
    const auto layer = [](const Inputs& x) {
        Generator random(4);
        nn::Inception block({2, 1, 1, 1, 1, 1, 1}, random, x[0].device());
        std::get<0>(block.one.parts).weight = x[1], std::get<2>(block.three.parts).weight = x[2];
        std::get<2>(block.five.parts).weight = x[3];
        for (const NamedTensor& t : nn::state(block))  // far from the kinks
            if (t.name.ends_with("bias")) {
                Tensor bias = t.tensor;
                bias.copy_(full(bias.shape(), 50, x[0].device()));
            }
        return block(x[0]);
    };
    const auto make = [](Generator& random) {
        // No two pixels of a channel are nearly equal: the maximum has no kink there.
        const Tensor apart({1, 2, 3, 3},
                           {0.1, 0.7, 0.4, 0.9, 0.2, 0.6, 0.3, 0.8, 0.5, 0.6, 0.2, 0.9, 0.1, 0.5, 0.8, 0.4, 0.7, 0.3});
        const Tensor x = apart + random.uniform({1, 2, 3, 3}, 0, Real(0.05)), one = random.uniform({1, 2, 1, 1}, 0, 1),
                     three = random.uniform({1, 1, 3, 3}, 0, 1), five = random.uniform({1, 1, 5, 5}, 0, 1);
        return Inputs{x, one, three, five};
    };
    check_gradient(layer, make, 8);
}

TEST_CASE("InceptionResidual: gradient", "[nn][inception][gradient]") {
    const auto layer = [](const Inputs& x) {
        Generator random(5);
        nn::InceptionResidual block({2, 1, 1, 1, 1, 1, 1}, random, 0.5, x[0].device());
        block.project.weight = x[1], block.project.bias = x[2];
        std::get<0>(block.block.one.parts).weight = x[3];
        for (const NamedTensor& t : nn::state(block.block))  // far from the kinks
            if (t.name.ends_with("bias")) {
                Tensor bias = t.tensor;
                bias.copy_(full(bias.shape(), 50, x[0].device()));
            }
        return block(x[0]);
    };
    const auto make = [](Generator& random) {
        const Tensor apart({1, 2, 3, 3},
                           {0.1, 0.7, 0.4, 0.9, 0.2, 0.6, 0.3, 0.8, 0.5, 0.6, 0.2, 0.9, 0.1, 0.5, 0.8, 0.4, 0.7, 0.3});
        const Tensor x = apart + random.uniform({1, 2, 3, 3}, 0, Real(0.05)),
                     project = random.uniform({2, 4, 1, 1}, 0, 1), bias = random.uniform({2}, 0, 1),
                     one = random.uniform({1, 2, 1, 1}, 0, 1);
        return Inputs{x, project, bias, one};
    };
    check_gradient(layer, make, 8);
}
#endif

TEST_CASE("Inception: messages", "[nn][inception]") {
    Generator random(5);
    CHECK_THROWS_WITH(nn::Inception({3, 0, 1, 1, 1, 1, 1}, random),
                      "Conv2d: wanted at least one channel, got 3 in and 0 out");
}
