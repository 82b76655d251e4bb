#include <recto/ops/indexing/top_k.hpp>

#include <algorithm>
#include <numeric>

#include <recto/device/threads.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

using Values = std::vector<Real>;

TEST_CASE("top_k: what sorting gives", "[ops][top_k][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index n = GENERATE(1, 2, 127, 128, 129);
    const Index k = std::min<Index>(n, GENERATE(0, 1, 2, 10, 129));
    CAPTURE(device, n, k);
    const Integers coarse = Generator(4).integers({3, n}, 0, 20);  // many numbers are equal
    std::vector<Real> values;
    for (const Index v : coarse.values()) values.push_back(Real(v));
    const auto [y, places] = top_k(Tensor({3, n}, values, device), k);
    REQUIRE(y.shape() == Shape{3, k});
    std::vector<double> want;
    std::vector<Index> where;
    for (Index row = 0; row < 3; ++row) {
        std::vector<Index> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), row * n);
        std::ranges::stable_sort(order,
                                 [&](Index a, Index b) { return values[std::size_t(a)] > values[std::size_t(b)]; });
        for (std::size_t i = 0; i < std::size_t(k); ++i)
            want.push_back(values[std::size_t(order[i])]), where.push_back(order[i] - row * n);
    }
    CHECK(close(y, want, 0));
    CHECK(places.values() == where);
    const auto [across, rows] = top_k(transpose(Tensor({3, n}, values, device)), k, 0);
    CHECK(same_bits(across, contiguous(transpose(y))));
}

TEST_CASE("top_k: edges", "[ops][top_k][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x({5}, {1, not_a_number, -infinity, not_a_number, infinity}, device);
    CHECK(top_k(x, 5).places.values() == std::vector<Index>{1, 3, 4, 0, 2});
    CHECK(top_k(empty({0, 3}, device), 2).values.shape() == Shape{0, 2});
    const Tensor taken = ones({3}, device).requires_grad_();  // none of its numbers is selected
    sum(top_k(taken, 0).values).backward();
    CHECK(taken.grad().values() == Values{0, 0, 0});
    CHECK(top_k(empty({3, 0}, device), 0).places.shape() == Shape{3, 0});
}

TEST_CASE("top_k: the same for any number of threads", "[ops][top_k][threads]") {
    const Tensor x = Generator(3).normal({200, 300});
    const int before = threads();
    std::vector<Index> first;
    for (const int n : {1, 2, 4}) {
        set_threads(n);
        const std::vector<Index> now = top_k(x, 5).places.values();
        if (first.empty()) first = now;
        CHECK(now == first);
    }
    set_threads(before);
}

TEST_CASE("top_k: agrees with PyTorch", "[ops][top_k][golden][devices]") {
    check_golden("top_k", [](const Golden& g) { return top_k(g["x"], g.number("k"), int(g.number("axis"))).values; });
}

GRADIENT_TEST("top_k") {
    check_gradient([](const Inputs& x) { return top_k(x[0], std::min<Index>(2, x[0].size(-1))).values; },
                   [](Generator& random) {
                       const Shape shape = random_shape(random);
                       Values values;  // far enough apart to keep their order
                       for (const Index place : random.permutation(shape.numel()))
                           values.push_back(Real(place) * Real(0.01));
                       return Inputs{Tensor(shape, values)};
                   });
}

TEST_CASE("top_k: messages", "[ops][top_k]") {
    CHECK_THROWS_WITH(top_k(ones({}), 0), "top_k: wanted at least one axis, got shape ()");
    CHECK_THROWS_WITH(top_k(ones({2, 3}), 4), "top_k: wanted from 0 to 3 along axis 1 of shape (2, 3), got 4");
    CHECK_THROWS_WITH(top_k(ones({2, 3}), -1), "top_k: wanted from 0 to 3 along axis 1 of shape (2, 3), got -1");
}
