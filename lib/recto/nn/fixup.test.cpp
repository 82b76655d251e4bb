#include <recto/nn/fixup.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/reductions/variance.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("FixupBlock: its formula, and the identity at the start", "[nn][fixup][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    nn::FixupBlock block(4, 9, random, device);
    const Tensor x = random.normal({3, 4}, 0, 1, device);
    CHECK(same_bits(block(x), x));
    CHECK(nn::count(block) == 2 * 16 + 6);
    block.second.weight = random.normal({4, 4}, 0, 1, device);
    for (std::size_t k = 0; k < 5; ++k) block.biases[k] = full({1}, Real(0.1 * double(k + 1)), device);
    block.scale = full({1}, 3, device);
    const Tensor middle = relu(linear(relu(x + 0.1) + 0.2, block.first.weight) + 0.3);
    CHECK(close(block(x), doubles(x + linear(middle + 0.4, block.second.weight) * 3 + 0.5)));
    CHECK(close(block(x), doubles(x + block.branch(x))));
}

TEST_CASE("FixupBlock: its first weights shrink with the root of the number of blocks", "[nn][fixup]") {
    Generator random(2), again(2);
    const nn::FixupBlock one(200, 1, random), many(200, 25, again);
    CHECK(close(many.first.weight * 5, doubles(one.first.weight)));
    const double variance_of = double(variance(one.first.weight).item());
    CHECK(variance_of > 0.0095);
    CHECK(variance_of < 0.0105);
    CHECK_THROWS_WITH(nn::FixupBlock(4, 0, random), "FixupBlock: wanted a network of at least one block, got 0");
}

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
TEST_CASE("FixupBlock: gradient", "[nn][fixup][gradient]") {
    const auto layer = [](const Inputs& x) {
        Generator random(3);
        nn::FixupBlock block(3, 4, random, x[0].device());
        block.first.weight = x[1], block.second.weight = x[2], block.scale = x[3];
        block.biases = {x[4], x[5], x[6], x[7], x[8]};
        return block(x[0]);
    };
    const auto make = [](Generator& random) {  // all units on, far from the kink
        const Tensor x = random.uniform({2, 3}, 1, 2), first = random.uniform({3, 3}, 1, 2),
                     second = random.normal({3, 3});
        Inputs all = {x, first, second};
        for (int k = 0; k < 6; ++k) all.push_back(random.uniform({1}, 1, 2));
        return all;
    };
    check_gradient(layer, make, 8);
}
#endif
