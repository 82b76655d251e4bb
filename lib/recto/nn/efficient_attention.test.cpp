#include <recto/nn/efficient_attention.hpp>

#include <recto/base/flops.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/attention.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("window_attention: a mask of a band, on every device",
          "[nn][efficient_attention][devices][row:sys-efficient-attention-variants/e]") {
    const Device device = GENERATE(from_range(devices()));
    const Index window = GENERATE(1, 2, 3, 6, 12), N = 12;
    Generator random(1);
    const Tensor q = random.normal({2, 3, N, 4}, 0, 1, device), k = random.normal({2, 3, N, 4}, 0, 1, device),
                 v = random.normal({2, 3, N, 5}, 0, 1, device);
    std::vector<Index> band;
    for (Index i = 0; i < N; ++i)
        for (Index j = 0; j < N; ++j) band.push_back(i - j < window && j - i < window);
    const Tensor want = attention(q, k, v, {.mask = attention_mask(Integers({N, N}, band)).to(device)});
    CHECK(close(nn::window_attention(q, k, v, window), doubles(want), 10 * usual));
}

TEST_CASE("low_rank_attention and kernel_attention: against products, on every device",
          "[nn][efficient_attention][devices][row:sys-efficient-attention-variants/e]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(2);
    const Index N = 6;
    const Tensor q = random.normal({2, 2, N, 4}, 0, 1, device), k = random.normal({2, 2, N, 4}, 0, 1, device),
                 v = random.normal({2, 2, N, 3}, 0, 1, device);
    const Tensor all = nn::group_means(N, N, device), three = nn::group_means(3, N, device);
    CHECK(close(nn::low_rank_attention(q, k, v, all, all), doubles(attention(q, k, v)), 10 * usual));
    const auto halves = [](const Tensor& x) { return (slice(x, 2, 0, 6, 2) + slice(x, 2, 1, 6, 2)) / 2; };
    CHECK(
        close(nn::low_rank_attention(q, k, v, three, three), doubles(attention(q, halves(k), halves(v))), 10 * usual));
    const Tensor match = matmul(elu(q) + 1, transpose(elu(k) + 1));
    CHECK(close(nn::kernel_attention(q, k, v), doubles(matmul(match / sum(match, {3}, Keep::yes), v)), 20 * usual));
}

TEST_CASE("efficient attention: counts and messages", "[nn][efficient_attention]") {
    Generator random(3);
    const Tensor x = random.normal({1, 1, 8, 2});
    const FlopCount count;
    nn::window_attention(x, x, x, 2);
    CHECK(count.multiply_adds() == 8 * 6 * (2 + 2));
    CHECK_THROWS_WITH(nn::window_attention(x, x, x, 3),
                      "window_attention: wanted a window that divides 8 positions, got 3");
    CHECK_THROWS_WITH(nn::group_means(3, 8), "group_means: wanted groups that divide 8 positions, got 3");
    CHECK_THROWS_WITH(nn::kernel_attention(x, random.normal({1, 1, 4, 2}), x),
                      "kernel_attention: wanted q, k and v of shape (batch, heads, N, width), got (1, 1, 8, 2), (1, 1, "
                      "4, 2) and (1, 1, 8, 2)");
    CHECK_THROWS_WITH(nn::low_rank_attention(x, x, x, zeros({2, 8}), zeros({2, 7})),
                      "low_rank_attention: wanted two matrices of (r, 8), got shapes (2, 8) and (2, 7)");
}

GRADIENT_TEST("efficient attention") {
    const auto three = [](Generator& random) {
        const Tensor q = random.normal({1, 2, 4, 2}), k = random.normal({1, 2, 4, 2});
        return Inputs{q, k, random.normal({1, 2, 4, 3})};
    };
    check_gradient([](const Inputs& x) { return nn::window_attention(x[0], x[1], x[2], 2); }, three, 4);
    const auto away = [&](Generator& random) {  // elu bends at 0, where differences are inexact
        Inputs x = three(random);
        for (Tensor& t : x) t = t + 0.01 * t / abs(t);
        return x;
    };
    check_gradient([](const Inputs& x) { return nn::kernel_attention(x[0], x[1], x[2]); }, away, 4);
    check_gradient([](const Inputs& x) { return nn::low_rank_attention(x[0], x[1], x[2], x[3], x[4]); },
                   [](Generator& random) {
                       const Tensor q = random.normal({1, 2, 4, 2}), k = random.normal({1, 2, 4, 2}),
                                    v = random.normal({1, 2, 4, 3}), e = random.normal({2, 4});
                       return Inputs{q, k, v, e, random.normal({2, 4})};
                   },
                   4);
}
