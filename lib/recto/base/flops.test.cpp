#include <recto/base/flops.hpp>

#include <recto/autograd/captured.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/attention.hpp>
#include <recto/ops/sequences/recurrent.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

struct Counts {
    Index forward, backward;
    bool operator==(const Counts&) const = default;
};

/// The multiply-adds of `f`, and of the backward pass of its result.
template <class F>
Counts cost(const F& f) {
    FlopCount count;
    const Tensor y = sum(f());
    const Index forward = count.multiply_adds();
    if (!y.requires_grad()) return {forward, 0};
    count.restart();
    y.backward();
    return {forward, count.multiply_adds()};
}

/// A tensor of ones, with or without a gradient.
Tensor input(Shape shape, Device device, bool wanted) {
    Tensor x = ones(shape, device);
    return wanted ? x.requires_grad_() : x;
}

}  // namespace

TEST_CASE("flops: a layer, forward and backward", "[core][flops][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index n = GENERATE(0, 1, 3, 2500), in = GENERATE(1, 70), out = GENERATE(1, 33);
    const bool dx = GENERATE(false, true), dw = GENERATE(false, true);
    CAPTURE(device, n, in, out, dx, dw);
    const Tensor x = input({n, in}, device, dx), w = input({out, in}, device, dw), b = ones({out}, device);
    CHECK(cost([&] { return linear(x, w, b); }) == Counts{n * in * out, (dx + dw) * n * in * out});
    CHECK(cost([&] { return linear(x, w, {}, gelu); }) == Counts{n * in * out, (dx + dw) * n * in * out});
}

TEST_CASE("flops: products, alone and many at once", "[core][flops][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const auto [axes, m, k, n] = GENERATE(table<Shape, Index, Index, Index>(
        {{{}, 4, 5, 6}, {{7}, 4, 5, 6}, {{2, 3}, 1, 80, 2}, {{1}, 65, 3, 1}, {{2, 0}, 4, 5, 6}, {{3}, 4, 0, 6}}));
    const bool da = GENERATE(false, true), db = GENERATE(false, true);
    CAPTURE(device, axes, m, k, n, da, db);
    const auto shape = [&axes = axes](Index rows, Index cols) {
        std::vector<Index> extents(axes.begin(), axes.end());
        extents.insert(extents.end(), {rows, cols});
        return Shape(std::span<const Index>(extents));
    };
    const Tensor a = input(shape(m, k), device, da), b = input(shape(k, n), device, db);
    const Index one = axes.numel() * m * k * n;
    CHECK(cost([&] { return matmul(a, b); }) == Counts{one, (da + db) * one});
}

TEST_CASE("flops: convolutions, whichever way they take", "[core][flops][devices]") {
    const Device device = GENERATE(from_range(devices()));
    // Thin and thick, strided, dilated, grouped: every algorithm of the CPU and of a GPU runs.
    const auto [batch, groups, in, out, size, kernel, stride, dilation] =
        GENERATE(table<Index, Index, Index, Index, Index, Index, Index, Index>({{2, 1, 1, 1, 5, 3, 1, 1},
                                                                                {3, 1, 3, 8, 12, 3, 1, 1},
                                                                                {2, 1, 16, 24, 9, 3, 2, 1},
                                                                                {2, 1, 16, 3, 9, 3, 2, 1},
                                                                                {2, 2, 4, 8, 10, 3, 1, 2},
                                                                                {1, 6, 1, 1, 11, 5, 1, 1},
                                                                                {0, 1, 3, 8, 12, 3, 1, 1},
                                                                                {4, 1, 32, 16, 7, 1, 1, 1}}));
    const bool dx = GENERATE(false, true), dw = GENERATE(false, true);
    CAPTURE(device, batch, groups, in, out, size, kernel, stride, dilation, dx, dw);
    const Index result = (size + 2 - (kernel - 1) * dilation - 1) / stride + 1;
    const Index one = batch * groups * out * result * result * in * kernel * kernel;
    const ConvOptions options{.stride = stride, .padding = 1, .dilation = dilation, .groups = groups};
    const Tensor x = input({batch, groups * in, size, size}, device, dx),
                 w = input({groups * out, in, kernel, kernel}, device, dw),
                 y = input({batch, groups * out, result, result}, device, dx);
    CHECK(cost([&] { return conv2d(x, w, {}, options); }) == Counts{one, (dx + dw) * one});
    CHECK(cost([&] { return conv_transpose2d(y, w, {}, options); }) == Counts{one, (dx + dw) * one});
}

TEST_CASE("flops: a series is an image one pixel high", "[core][flops][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = input({2, 3, 20}, device, true), w = input({4, 3, 5}, device, true);
    CHECK(cost([&] { return conv1d(x, w); }) == Counts{2 * 4 * 16 * 3 * 5, 2 * 2 * 4 * 16 * 3 * 5});
}

TEST_CASE("flops: attention, with the scores that come twice", "[core][flops][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const auto [batch, heads, queries, keys, width, values] = GENERATE(table<Index, Index, Index, Index, Index, Index>(
        {{1, 1, 1, 1, 1, 1}, {2, 3, 5, 7, 4, 6}, {2, 2, 130, 130, 8, 8}, {1, 2, 0, 3, 4, 4}}));
    const bool dq = GENERATE(false, true), dk = GENERATE(false, true), dv = GENERATE(false, true),
               causal = GENERATE(false, true);
    CAPTURE(device, batch, heads, queries, keys, width, values, dq, dk, dv, causal);
    const Tensor q = input({batch, heads, queries, width}, device, dq),
                 k = input({batch, heads, keys, width}, device, dk),
                 v = input({batch, heads, keys, values}, device, dv);
    const Index pairs = batch * heads * queries * keys;
    const Index again = dq || dk || dv ? width : 0, slopes = dq || dk ? values : 0;
    CHECK(cost([&] { return attention(q, k, v, {.causal = causal}); }) ==
          Counts{pairs * (width + values), pairs * (again + slopes + (dq + dk) * width + dv * values)});
}

TEST_CASE("flops: self-attention does five products for two", "[core][flops][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index batch = 2, time = 70, width = 12;
    const Tensor x = input({batch, time, 3 * width}, device, true);
    for (const Index heads : {1, 4})  // heads share the width
        CHECK(cost([&] { return self_attention(x, heads); }) ==
              Counts{2 * batch * time * time * width, 5 * batch * time * time * width});
}

TEST_CASE("flops: a recurrent layer", "[core][flops][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index batch = 3, time = 5, in = 4, hidden = 6, wide = 4 * hidden;
    const Tensor x = input({batch, time, in}, device, true);
    const RecurrentWeights w{input({wide, in}, device, true), input({wide, hidden}, device, true),
                             input({wide}, device, true), input({wide}, device, true)};
    const Index step = batch * wide * (in + hidden);
    CHECK(cost([&] { return lstm(x, w).y; }) == Counts{time * step, 2 * time * step});
}

TEST_CASE("flops: what is no product counts nothing", "[core][flops][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = input({4, 5}, device, true);
    CHECK(cost([&] { return tanh(x) * exp(x) + 1; }) == Counts{0, 0});
}

TEST_CASE("flops: counts run beside each other, and know only what came after them", "[core][flops][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor a = ones({2, 3}, device), b = ones({3, 5}, device);
    FlopCount outer;
    matmul(a, b);
    const FlopCount inner;
    matmul(a, b);
    CHECK(outer.multiply_adds() == 60);
    CHECK(inner.multiply_adds() == 30);
    CHECK(inner.flops() == 60);
    outer.restart();
    CHECK(outer.multiply_adds() == 0);
    CHECK(inner.multiply_adds() == 30);
}

TEST_CASE("flops: a captured step counts in every replay", "[core][flops][captured][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = ones({2, 3}, device), w = input({4, 3}, device, true);
    Captured step(device, [&] {
        w.zero_grad();
        const Tensor loss = sum(linear(x, w));
        loss.backward();
        return loss;
    });
    const FlopCount count;
    for (int replay = 1; replay <= 5; ++replay) {
        step.replay();
        CHECK(count.multiply_adds() == replay * 2 * 24);
    }
}
