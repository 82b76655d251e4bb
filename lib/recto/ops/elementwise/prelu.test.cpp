#include <recto/ops/elementwise/prelu.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Values = std::vector<Real>;

/// Inputs away from the kink at 0.
[[maybe_unused]] Tensor away_from_zero(Generator& random, const Shape& shape) {
    Values values = random.normal(shape).values();
    for (Real& v : values) v += v < 0 ? Real(-0.1) : Real(0.1);
    return Tensor(shape, values);
}

}  // namespace

TEST_CASE("prelu: definition, forward and back", "[ops][prelu][devices][row:eq-prelu/c]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape =
        GENERATE(Shape{1, 1}, Shape{4, 3}, Shape{2, 5, 7}, Shape{3, 127, 2}, Shape{1, 128, 3, 2}, Shape{130, 2, 129});
    const bool one = GENERATE(true, false);
    CAPTURE(device, shape, one);
    Generator random(1);
    const Tensor x = random.normal(shape, 0, 1, device).requires_grad_();
    const Tensor w = random.normal({one ? 1 : shape[1]}, 0, 1, device).requires_grad_();
    const Tensor dy = random.normal(shape, 0, 1, device);
    const std::vector<double> from = doubles(x), slope = doubles(w), up = doubles(dy);
    std::vector<double> y, dx, dw(slope.size());
    const std::size_t inner = std::size_t(shape.without(0).without(0).numel());
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::size_t c = one ? 0 : i / inner % slope.size();
        y.push_back(from[i] > 0 ? from[i] : slope[c] * from[i]);
        dx.push_back(from[i] > 0 ? up[i] : slope[c] * up[i]);
        if (from[i] <= 0) dw[c] += from[i] * up[i];
    }
    const Tensor got = prelu(x, w);
    CHECK(close(got, y));
    sum(got * dy).backward();
    CHECK(close(x.grad(), dx));
    CHECK(close(w.grad(), dw, 30 * usual));
}

TEST_CASE("prelu: edges", "[ops][prelu][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Tensor quarter({1}, {0.25}, device);
    CHECK(prelu(Tensor({4}, {-4, 0, 3, -infinity}, device), quarter).values() == Values{-1, 0, 3, -infinity});
    CHECK(prelu(Tensor({}, {-4}, device), quarter).item() == -1);
    CHECK(is_nan(prelu(Tensor({1}, {not_a_number}, device), quarter).item()));
    CHECK(prelu(empty({0, 3}, device), ones({3}, device)).shape() == Shape{0, 3});
    CHECK(prelu(empty({2, 0}, device), empty({0}, device)).shape() == Shape{2, 0});
    const Tensor x = Generator(2).normal({3, 4}, 0, 1, device);
    CHECK(close(prelu(x, full({4}, Real(0.1), device)), doubles(leaky_relu(x, 0.1)), 0));
    const Tensor none = empty({0, 3}, device).requires_grad_(), slopes = ones({3}, device).requires_grad_();
    sum(prelu(none, slopes)).backward();
    CHECK(slopes.grad().values() == Values{0, 0, 0});
}

TEST_CASE("prelu: agrees with PyTorch", "[ops][prelu][golden][devices]") {
    check_golden("prelu", [](const Golden& g) { return prelu(g["x"], g["weight"]); });
}

GRADIENT_TEST("prelu") {
    check_gradient([](const Inputs& x) { return prelu(x[0], x[1]); },
                   [](Generator& random) {
                       const Shape shape = random_shape(random, 2, 3);
                       const Index slopes = random.next_uniform() < 0.5 ? 1 : shape[1];
                       return Inputs{away_from_zero(random, shape), random.normal({slopes})};
                   });
}

TEST_CASE("prelu: messages", "[ops][prelu]") {
    CHECK_THROWS_WITH(
        prelu(ones({2, 3}), ones({2})),
        "prelu: wanted one slope, of shape (1), or one for each channel, got shape (2) for x of shape (2, 3)");
    CHECK_THROWS_WITH(
        prelu(ones({3}), ones({3})),
        "prelu: wanted one slope, of shape (1), or one for each channel, got shape (3) for x of shape (3)");
    CHECK_THROWS_WITH(prelu(ones({2}), ones({1}, Device::sim)), "prelu: wanted both on one device, got cpu and sim");
    CHECK_THROWS_WITH(prelu(Tensor(), ones({1})), "prelu: wanted a tensor, got an undefined one");
}
