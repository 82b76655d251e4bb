#include <recto/ops/losses/binary_cross_entropy.hpp>

#include <cmath>

#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
/// The sum of the binary negative log-likelihoods in double.
double oracle(const Tensor& scores, const Tensor& targets) {
    const std::vector<double> x = doubles(scores), t = doubles(targets);
    double total = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double yes = 1 / (1 + std::exp(-x[i])), no = 1 / (1 + std::exp(x[i]));
        total -= t[i] * std::log(yes) + (1 - t[i]) * std::log(no);
    }
    return total;
}

/// Random zeros and ones.
Tensor answers(Generator& random, const Shape& shape, Device device) {
    std::vector<Real> t;
    for (Index i = 0; i < shape.numel(); ++i) t.push_back(Real(random.next_integer(0, 2)));
    return Tensor(shape, t, device);
}
}  // namespace

TEST_CASE("binary_cross_entropy: definition", "[ops][binary_cross_entropy][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{}, Shape{1}, Shape{4, 7}, Shape{127}, Shape{128}, Shape{129}, Shape{9000});
    CAPTURE(device, shape);
    Generator random(1);
    const Tensor x = random.normal(shape, 0, 3, device), t = random.uniform(shape, 0, 1, device);
    CHECK(close(binary_cross_entropy(x, t), {oracle(x, t) / double(x.numel())}));
}

TEST_CASE("binary_cross_entropy: several labels are several questions",
          "[ops][binary_cross_entropy][devices][row:sys-conditional-and-compound/b]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(2);
    const Tensor x = random.normal({32, 5}, 0, 2, device), t = answers(random, {32, 5}, device);
    const double sum = double(binary_cross_entropy(x, t).item()) * double(x.numel());
    CHECK(std::abs(sum - oracle(x, t)) <= 1e-6 * oracle(x, t));
}

TEST_CASE("binary_cross_entropy: edges", "[ops][binary_cross_entropy][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto at = [&](Real x, Real t) {
        return binary_cross_entropy(full({1}, x, device), full({1}, t, device)).item();
    };
    for (const Real far : {Real(5), Real(17), Real(30), Real(60)}) {  // the tail has all its digits
        const double loss = std::log1p(std::exp(-double(far)));
        CHECK(std::abs(double(at(far, 1)) / loss - 1) <= usual);
        CHECK(std::abs(double(at(-far, 0)) / loss - 1) <= usual);
    }
    CHECK(at(1000, 1) == 0);
    CHECK(at(-1000, 0) == 0);
    CHECK(at(1000, 0) == 1000);
    CHECK(at(-1000, 1) == 1000);
    CHECK(is_nan(at(not_a_number, 1)));
    CHECK(is_nan(at(1, not_a_number)));
}

TEST_CASE("binary_cross_entropy: agrees with PyTorch", "[ops][binary_cross_entropy][golden][devices]") {
    check_golden("binary_cross_entropy", [](const Golden& g) { return binary_cross_entropy(g["x"], g["targets"]); });
}

GRADIENT_TEST("binary_cross_entropy") {
    check_gradient([](const Inputs& x) { return binary_cross_entropy(x[0], x[1]); },
                   [](Generator& random) {
                       const Shape shape = random_shape(random, 0);
                       return Inputs{random.normal(shape), random.uniform(shape)};
                   });
}

TEST_CASE("binary_cross_entropy: messages", "[ops][binary_cross_entropy]") {
    CHECK_THROWS_WITH(binary_cross_entropy(empty({2, 1}), empty({2})),
                      "binary_cross_entropy: wanted scores and targets of one shape, got (2, 1) and (2)");
    CHECK_THROWS_WITH(binary_cross_entropy(empty({0}), empty({0})),
                      "binary_cross_entropy: wanted at least one number, got shape (0)");
    CHECK_THROWS_WITH(binary_cross_entropy(empty({2}), empty({2}, Device::sim)),
                      "binary_cross_entropy: wanted both on one device, got cpu and sim");
}
