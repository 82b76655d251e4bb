#include <recto/nn/transformer.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// A block with the same numbers in host memory.
template <class Block>
Block on_host(Block block) {
    nn::to(block, Device::cpu);
    return block;
}

}  // namespace

TEST_CASE("FeedForwardBlock: a residual branch for each position",
          "[nn][transformer][devices][row:sys-feedforward-block/c]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    const nn::FeedForwardBlock block(6, 20, random, device);
    CHECK(nn::count(block) == 2 * 6 + 20 * 6 + 20 + 6 * 20 + 6);
    const Tensor x = random.normal({2, 5, 6}, 0, 1, device), y = block(x);
    CHECK(close(y, doubles(on_host(block)(x.to(Device::cpu))), 10 * usual));
    CHECK(close(y, doubles(x + block.branch(block.norm(x))), usual));
    CHECK(close(slice(y, 1, 2, 3), doubles(block(slice(x, 1, 2, 3))), 10 * usual));
    CHECK_THROWS_WITH(nn::FeedForwardBlock(6, -1, random), "Linear: wanted sizes of at least 0, got 6 in and -1 out");
}

TEST_CASE("SelfAttentionBlock: a residual branch that mixes positions",
          "[nn][transformer][devices][row:sys-self-attention-block/c]") {
    const Device device = GENERATE(from_range(devices()));
    const bool causal = GENERATE(false, true);
    Generator random(2);
    const nn::SelfAttentionBlock block(6, 2, random, device);
    CHECK(nn::count(block) == 2 * 6 + 4 * 6 * 6 + 4 * 6);
    const Tensor x = random.normal({2, 5, 6}, 0, 1, device), y = block(x, {.causal = causal});
    CHECK(close(y, doubles(on_host(block)(x.to(Device::cpu), {.causal = causal})), 10 * usual));
    CHECK(close(y, doubles(x + block.attention(block.norm(x), {.causal = causal})), usual));
    CHECK_THROWS_WITH(nn::SelfAttentionBlock(6, 4, random),
                      "MultiHeadAttention: wanted heads that divide width 6, got 4");
}

TEST_CASE("CrossAttentionBlock: one sequence reads another",
          "[nn][transformer][devices][row:sys-cross-attention-block/d]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(3);
    const nn::CrossAttentionBlock block(6, 3, random, device);
    CHECK(nn::count(block) == 2 * 6 + 4 * 6 * 6 + 4 * 6);
    const Tensor x = random.normal({2, 5, 6}, 0, 1, device), memory = random.normal({2, 3, 6}, 0, 1, device),
                 y = block(x, memory);
    CHECK(y.shape() == x.shape());
    CHECK(close(y, doubles(on_host(block)(x.to(Device::cpu), memory.to(Device::cpu))), 10 * usual));
    CHECK(close(y, doubles(x + block.attention(block.norm(x), block.norm(memory))), usual));
    const Tensor hidden = block(x, memory, {.lengths = Integers({2}, {2, 2}, device)});  // the last place is padding
    CHECK(close(hidden, doubles(block(x, slice(memory, 1, 0, 2))), 10 * usual));
}

GRADIENT_TEST("transformer blocks") {
    const auto some = [](Generator& random) { return Inputs{random.normal({1, 3, 4})}; };
    check_gradient(
        [](const Inputs& x) {
            Generator random(4);
            return nn::FeedForwardBlock(4, 6, random, x[0].device())(x[0]);
        },
        some, 4);
    check_gradient(
        [](const Inputs& x) {
            Generator random(4);
            return nn::SelfAttentionBlock(4, 2, random, x[0].device())(x[0], {.causal = true});
        },
        some, 4);
    check_gradient(
        [](const Inputs& x) {
            Generator random(4);
            return nn::CrossAttentionBlock(4, 2, random, x[0].device())(x[0], x[1]);
        },
        [](Generator& random) {
            const Tensor x = random.normal({1, 3, 4});
            return Inputs{x, random.normal({1, 2, 4})};
        },
        4);
}
