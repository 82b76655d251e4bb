#include <recto/nn/accuracy.hpp>

#include <limits>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("accuracy: counts, ties, NaN", "[nn][accuracy][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Real nan = std::numeric_limits<Real>::quiet_NaN(), inf = std::numeric_limits<Real>::infinity();
    const Tensor scores({4, 3}, {1, 2, 0, 5, 5, 5, nan, 0, 0, -inf, -inf, 0}, device);
    const Integers labels({4}, {1, 0, 0, 1}, device);
    CHECK(nn::accuracy(scores, labels) == 0.5);
    CHECK(nn::error_rate(scores, labels) == 0.5);
    CHECK(nn::error_rate(Tensor({3, 2}, {0, 1, 1, 0, 0, 1}, device), Integers({3}, {1, 0, 0}, device)) == 1.0 / 3);
}

TEST_CASE("accuracy: any number of axes, and messages", "[nn][accuracy]") {
    const Tensor text({2, 2, 2}, {0, 1, 1, 0, 1, 0, 1, 0});
    CHECK(nn::accuracy(text, Integers({2, 2}, {1, 0, 1, 1})) == 0.5);
    CHECK(nn::accuracy(Tensor({3}, {1, 2, 3}), Integers({}, {2})) == 1);
    CHECK_THROWS_WITH(nn::accuracy(text, Integers({4}, {1, 0, 1, 1})),
                      "accuracy: scores of shape (2, 2, 2) want labels of shape (2, 2), got (4)");
    CHECK_THROWS_WITH(nn::accuracy(zeros({0, 3}), Integers(Shape{0})),
                      "accuracy: wanted at least one sample, got scores of shape (0, 3)");
    CHECK_THROWS_WITH(nn::error_rate(Tensor(Shape{}, {1}), Integers({}, {0})),
                      "accuracy: wanted scores with at least one axis, got shape ()");
    CHECK_THROWS_WITH(nn::accuracy(Tensor({3}, {1, 2, 3}), Integers({}, {3})),
                      "accuracy: wanted labels from 0 to 2, got 3 at position 0");
}
