#include <recto/ops/norms/normalize_rows.hpp>

#include <algorithm>
#include <cmath>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
/// The exponentials of the matrix on the slides.
Tensor exponentials(Device device) {
    const double printed[7][7] = {{1.2555, 0.6821, 0.9131, -0.7238, 0.5636, -2.8689, -0.4744},
                                  {2.1393, -0.8737, 2.4039, 0.0056, 0.6169, -0.2245, -0.2242},
                                  {0.1821, -0.4250, -0.1115, -0.3568, -2.2182, 0.9574, 1.9415},
                                  {-0.2646, 1.7013, -2.7297, 0.3786, -1.7883, 0.8484, -0.1894},
                                  {-0.5430, -0.2352, 0.4820, -0.0737, 0.8632, 0.1648, 1.1864},
                                  {1.3596, -0.6411, 2.9097, 0.9422, -0.0167, -0.1453, -0.6059},
                                  {-0.4946, 0.2705, 0.5348, -1.8176, -1.3861, -1.0276, -1.0050}};
    std::vector<Real> values;
    for (const auto& row : printed) values.insert(values.end(), std::begin(row), std::end(row));
    return exp(Tensor({7, 7}, values, device));
}
}  // namespace

TEST_CASE("normalize_rows: rows sum to one", "[ops][normalize_rows][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{1}, Shape{3, 127}, Shape{128, 2}, Shape{2, 3, 129});
    const Tensor x = Generator(1).uniform(shape, 1, 2, device);
    std::vector<double> want = doubles(x);
    const auto cols = std::size_t(x.size(-1));
    for (std::size_t row = 0; row < want.size(); row += cols) {
        double total = 0;
        for (std::size_t j = 0; j < cols; ++j) total += want[row + j];
        for (std::size_t j = 0; j < cols; ++j) want[row + j] /= total;
    }
    CHECK(close(normalize_rows(x), want));
}

TEST_CASE("normalize_rows: edges", "[ops][normalize_rows][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CHECK(normalize_rows(empty({0, 3}, device)).shape() == Shape{0, 3});
    CHECK(normalize_rows(empty({3, 0}, device)).shape() == Shape{3, 0});
    CHECK(std::isnan(normalize_rows(zeros({1, 2}, device)).values()[0]));
    CHECK(normalize_rows(Tensor({2, 2}, {1, 3, 5, 5}, device)).values() == std::vector<Real>{0.25, 0.75, 0.5, 0.5});
}

#ifdef RECTO_REAL_IS_DOUBLE  // a sum of seven numbers, to twelve digits
TEST_CASE("normalize_rows: with the axis kept every row sums to one",
          "[ops][normalize_rows][devices][row:claim-keepdim-trap/a]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = exponentials(device);
    for (const double s : doubles(sum(x / sum(x, {1}, Keep::yes), {1}))) CHECK(std::abs(s - 1) <= 1e-12);
    for (const double s : doubles(sum(normalize_rows(x), {1}))) CHECK(std::abs(s - 1) <= 1e-12);
}
#endif

TEST_CASE("normalize_rows: without keeping the axis the sums go wrong",
          "[ops][normalize_rows][devices][row:claim-keepdim-trap/b][row:claim-keepdim-trap/c]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor x = exponentials(device);
    const std::vector<double> sums = doubles(sum(x / sum(x, {1}), {1}));
    const double least = *std::ranges::min_element(sums), most = *std::ranges::max_element(sums);
    CHECK((least >= 0.3665 && least <= 0.3675));
    CHECK((most >= 2.2445 && most <= 2.2455));
}

TEST_CASE("normalize_rows: the ambiguous shape is refused", "[ops][normalize_rows][row:claim-keepdim-trap/d]") {
    const Tensor x = exponentials(Device::cpu);
    CHECK(same_bits(normalize_rows(x, sum(x, {1}, Keep::yes)), normalize_rows(x)));
    CHECK_THROWS_WITH(normalize_rows(x, sum(x, {1})),
                      "normalize_rows: x of shape (7, 7) wants sums of shape (7, 1), one per row, got (7); reduce with "
                      "Keep::yes");
    CHECK_THROWS_WITH(
        normalize_rows(x, sum(x, {0}, Keep::yes)),
        "normalize_rows: x of shape (7, 7) wants sums of shape (7, 1), one per row, got (1, 7); reduce with "
        "Keep::yes");
    CHECK_THROWS_WITH(normalize_rows(ones({})), "normalize_rows: wanted at least one axis, got shape ()");
    CHECK_THROWS_WITH(normalize_rows(ones({}), ones({})), "normalize_rows: wanted at least one axis, got shape ()");
}

TEST_CASE("normalize_rows: agrees with PyTorch", "[ops][normalize_rows][golden][devices]") {
    check_golden("normalize_rows", [](const Golden& g) { return normalize_rows(g["x"]); });
}

GRADIENT_TEST("normalize_rows") {
    check_gradient([](const Inputs& x) { return normalize_rows(x[0]); },
                   [](Generator& random) {
                       Tensor x = random.uniform(random_shape(random).with(-1, 5), 1, 2);
                       return Inputs{x};
                   });
}
