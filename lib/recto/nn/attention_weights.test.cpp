#include <recto/nn/attention_weights.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("attention_weights: the layer is these weights times its values", "[nn][attention_weights][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const bool causal = GENERATE(false, true);
    Generator random(1);
    const Index width = 6, heads = 3, keys = 5;
    const nn::MultiHeadAttention layer(width, heads, random, {.device = device});
    const Tensor x = random.normal({2, 4, width}, 0, 1, device), memory = random.normal({2, keys, width}, 0, 1, device);
    AttentionOptions options;
    options.causal = causal;
    const Tensor weights = nn::attention_weights(layer, x, memory, options);
    CHECK(weights.shape() == Shape{2, heads, 4, keys});
    CHECK(close(sum(weights, {3}), std::vector<double>(2 * heads * 4, 1.0), 10 * usual));
    if (causal) CHECK(weights.at({1, 2, 0, 1}) == 0);
    const Tensor values = linear(memory, slice(layer.in_proj_weight, 0, 2 * width, 3 * width),
                                 slice(layer.in_proj_bias, 0, 2 * width, 3 * width)),
                 split = transpose(reshape(values, {2, keys, heads, width / heads}), 1, 2),
                 joined = reshape(transpose(matmul(weights, split), 1, 2), {2, 4, width});
    CHECK(close(layer.out_proj(joined), doubles(layer(x, memory, options)), 20 * usual));
}

TEST_CASE("attention_weights: padding and messages", "[nn][attention_weights]") {
    Generator random(2);
    const nn::MultiHeadAttention layer(4, 2, random);
    const Tensor x = random.normal({2, 3, 4});
    const Tensor weights = nn::attention_weights(layer, x, x, {.lengths = Integers({2}, {1, 3})});
    CHECK(weights.at({0, 1, 2, 0}) == 1);
    CHECK(weights.at({0, 1, 2, 1}) == 0);
    CHECK(weights.at({1, 1, 2, 1}) > 0);
    CHECK_THROWS_WITH(nn::attention_weights(layer, x, random.normal({2, 3, 5})),
                      "attention_weights: wanted (batch, time, 4) twice, got shapes (2, 3, 4) and (2, 3, 5)");
}
