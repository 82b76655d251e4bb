#include <recto/ops/cross_entropy.hpp>

#include <algorithm>
#include <cmath>

#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
/// The definition in double.
double oracle(const Tensor& scores, const Integers& labels) {
    const std::vector<double> x = doubles(scores);
    const std::vector<Index> t = labels.values();
    const std::size_t cols = std::size_t(scores.dim(-1));
    double sum = 0;
    for (std::size_t row = 0; row < t.size(); ++row) {
        double most = x[row * cols], total = 0;
        for (std::size_t j = 0; j < cols; ++j) most = std::max(most, x[row * cols + j]);
        for (std::size_t j = 0; j < cols; ++j) total += std::exp(x[row * cols + j] - most);
        sum += std::log(total) + most - x[row * cols + std::size_t(t[row])];
    }
    return sum / double(t.size());
}
}  // namespace

TEST_CASE("cross_entropy: definition", "[ops][cross_entropy][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{1}, Shape{7}, Shape{4, 7}, Shape{2, 3, 300}, Shape{5, 127}, Shape{5, 128},
                                 Shape{129, 129}, Shape{9000, 3});
    CAPTURE(device, shape);
    Generator random(1);
    const Tensor x = random.normal(shape, 0, 3, device);
    const Integers labels = random.integers(shape.without(-1), 0, shape.dim(-1), device);
    CHECK(close(cross_entropy(x, labels), {oracle(x, labels)}));
    CHECK(cross_entropy(x, labels).shape() == Shape{});
}

TEST_CASE("cross_entropy: edges", "[ops][cross_entropy][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Integers first({1}, {0}, device), second({1}, {1}, device);
    CHECK(cross_entropy(Tensor({1, 2}, {1000, -1000}, device), first).item() == 0);
    CHECK(cross_entropy(Tensor({1, 2}, {1000, -1000}, device), second).item() == 2000);
    CHECK(cross_entropy(Tensor({1, 1}, {-1e30f}, device), first).item() == 0);
    CHECK(is_nan(cross_entropy(Tensor({1, 3}, {1, not_a_number, 2}, device), first).item()));
    CHECK(close(cross_entropy(zeros({1, 10}, device), first), {std::log(10.0)}));
}

GRADIENT_TEST("cross_entropy") {
    Integers labels;
    check_gradient([&](const Inputs& x) { return cross_entropy(x[0], labels.to(x[0].device())); },
                   [&](Generator& random) {
                       const Tensor x = random.normal(random_shape(random));
                       labels = random.integers(x.shape().without(-1), 0, x.dim(-1));
                       return Inputs{x};
                   });
}

TEST_CASE("cross_entropy: messages", "[ops][cross_entropy]") {
    CHECK_THROWS_WITH(cross_entropy(Tensor(Shape{}, {1}), Integers(Shape{}, {0})),
                      "cross_entropy: wanted scores with at least one axis, got shape ()");
    CHECK_THROWS_WITH(cross_entropy(empty({2, 3}), Integers({3}, {0, 1, 2})),
                      "cross_entropy: scores of shape (2, 3) want labels of shape (2), got (3)");
    CHECK_THROWS_WITH(cross_entropy(empty({2, 3}), Integers({2}, {0, 3})),
                      "cross_entropy: wanted labels from 0 to 2, got 3 at position 1");
    CHECK_THROWS_WITH(cross_entropy(empty({2, 3}), Integers({2}, {-1, 0})),
                      "cross_entropy: wanted labels from 0 to 2, got -1 at position 0");
    CHECK_THROWS_WITH(cross_entropy(empty({0, 3}), Integers(Shape{0})),
                      "cross_entropy: wanted at least one sample, got scores of shape (0, 3)");
    CHECK_THROWS_WITH(cross_entropy(empty({1, 3}), Integers({1}, {0}, Device::sim)),
                      "cross_entropy: wanted scores and labels on one device, got cpu and sim");
}
