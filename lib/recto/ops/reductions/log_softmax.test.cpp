#include <recto/ops/reductions/log_softmax.hpp>

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
        for (std::size_t j = 0; j < cols; ++j) total += std::exp(y[row + j] - most);
        for (std::size_t j = 0; j < cols; ++j) y[row + j] -= most + std::log(total);
    }
    return y;
}
}  // namespace

TEST_CASE("log_softmax: definition", "[ops][log_softmax][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{1}, Shape{4, 7}, Shape{2, 3, 300}, Shape{5, 127}, Shape{5, 128}, Shape{5, 129});
    CAPTURE(device, shape);
    const Tensor x = Generator(1).normal(shape, 0, 3, device);
    CHECK(close(log_softmax(x), oracle(x)));
}

TEST_CASE("log_softmax: edges", "[ops][log_softmax][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    CHECK(log_softmax(Tensor({1, 2}, {1000, -1000}, device)).values() == std::vector<Real>{0, -2000});
    CHECK(log_softmax(Tensor({1, 1}, {-1e30f}, device)).item() == 0);
    for (const Real v : log_softmax(full({1, 3}, -infinity, device)).values()) CHECK(is_nan(v));
    for (const Real v : log_softmax(Tensor({1, 3}, {0, infinity, 1}, device)).values()) CHECK(is_nan(v));
    CHECK(log_softmax(empty({0, 3}, device)).shape() == Shape{0, 3});
    CHECK(log_softmax(empty({3, 0}, device)).shape() == Shape{3, 0});
    for (const Real v : log_softmax(Tensor({1, 3}, {1, not_a_number, 2}, device)).values()) CHECK(is_nan(v));
}

TEST_CASE("log_softmax: agrees with PyTorch", "[ops][log_softmax][golden][devices]") {
    check_golden("log_softmax", [](const Golden& g) { return log_softmax(g["x"]); });
}

GRADIENT_TEST("log_softmax") {
    check_gradient([](const Tensor& x) { return log_softmax(x); });
}

TEST_CASE("log_softmax: messages", "[ops][log_softmax]") {
    CHECK_THROWS_WITH(log_softmax(Tensor(Shape{}, {1})), "log_softmax: wanted at least one axis, got shape ()");
}
