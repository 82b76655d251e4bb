#include <recto/ops/reductions/softmax.hpp>

#include <algorithm>
#include <cmath>

#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
/// The definition in double, row by row.
std::vector<double> oracle(const Tensor& x) {
    std::vector<double> y = doubles(x);
    const std::size_t cols = std::size_t(x.size(-1));
    for (std::size_t row = 0; row + cols <= y.size(); row += cols) {
        double most = y[row], total = 0;
        for (std::size_t j = 0; j < cols; ++j) most = std::max(most, y[row + j]);
        for (std::size_t j = 0; j < cols; ++j) total += y[row + j] = std::exp(y[row + j] - most);
        for (std::size_t j = 0; j < cols; ++j) y[row + j] /= total;
    }
    return y;
}
}  // namespace

TEST_CASE("softmax: definition", "[ops][softmax][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{1}, Shape{4, 7}, Shape{2, 3, 300}, Shape{5, 127}, Shape{5, 128}, Shape{5, 129});
    CAPTURE(device, shape);
    const Tensor x = Generator(1).normal(shape, 0, 3, device);
    CHECK(close(softmax(x), oracle(x)));
}

TEST_CASE("softmax: edges", "[ops][softmax][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    CHECK(softmax(Tensor({1, 2}, {1000, 1000}, device)).values() == std::vector<Real>{0.5, 0.5});
    CHECK(softmax(Tensor({1, 1}, {-1e30f}, device)).item() == 1);
    CHECK(softmax(Tensor({1, 2}, {-infinity, 3}, device)).values() == std::vector<Real>{0, 1});
    for (const Real v : softmax(full({1, 3}, -infinity, device)).values()) CHECK(is_nan(v));
    for (const Real v : softmax(Tensor({1, 3}, {0, infinity, 1}, device)).values()) CHECK(is_nan(v));
    CHECK(softmax(empty({0, 3}, device)).shape() == Shape{0, 3});
    CHECK(softmax(empty({3, 0}, device)).shape() == Shape{3, 0});
    for (const Real v : softmax(Tensor({1, 3}, {1, not_a_number, 2}, device)).values()) CHECK(std::isnan(v));
}

TEST_CASE("softmax: agrees with PyTorch", "[ops][softmax][golden][devices]") {
    check_golden("softmax", [](const Golden& g) { return softmax(g["x"]); });
}

GRADIENT_TEST("softmax") {
    check_gradient([](const Tensor& x) { return softmax(x); });
}

TEST_CASE("softmax: messages", "[ops][softmax]") {
    CHECK_THROWS_WITH(softmax(Tensor(Shape{}, {1})), "softmax: wanted at least one axis, got shape ()");
}
