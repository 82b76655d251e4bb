#include <recto/ops/losses/mse_loss.hpp>

#include <cmath>

#include <recto/testing/golden.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
/// The definition in double.
double oracle(const Tensor& f, const Tensor& y) {
    const std::vector<double> a = doubles(f), b = doubles(y);
    double total = 0;
    for (std::size_t i = 0; i < a.size(); ++i) total += (b[i] - a[i]) * (b[i] - a[i]);
    return total / double(a.size());
}
}  // namespace

TEST_CASE("mse_loss: a three-sample example by hand", "[ops][mse_loss][devices][row:eq-1.1/a]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    // f(x; w) = w x at x = 1, 2, 3 with w = 1/2 against y = 1, 0, 2: residuals 1/2, -1, 1/2, mean square 1/2.
    const Tensor f({3}, {0.5, 1, 1.5}, device), y({3}, {1, 0, 2}, device);
    CHECK(std::abs(double(mse_loss(f, y).item()) - 0.5) <= 1e-6);
}

TEST_CASE("mse_loss: definition", "[ops][mse_loss][devices][row:eq-1.1/c]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{}, Shape{1}, Shape{4, 7}, Shape{127}, Shape{128}, Shape{129}, Shape{1024},
                                 Shape{1025}, Shape{1025, 1025});
    CAPTURE(device, shape);
    Generator random(1);
    const Tensor f = random.normal(shape, 0, 1, device), y = random.normal(shape, 0, 1, device);
    CHECK(close(mse_loss(f, y), {oracle(f, y)}));
    CHECK(mse_loss(f, y).shape() == Shape{});
}

TEST_CASE("mse_loss: edges", "[ops][mse_loss][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    CHECK(mse_loss(Tensor({2}, {1e-3f, -2}, device), Tensor({2}, {1e-3f, -2}, device)).item() == 0);
    CHECK(is_nan(mse_loss(Tensor({2}, {not_a_number, 1}, device), zeros({2}, device)).item()));
    const Tensor matrix = Generator(2).normal({3, 4}, 0, 1, device);
    const Tensor turned = matrix.view({4, 3}, {1, 4}, 0), other = Generator(3).normal({4, 3}, 0, 1, device);
    CHECK(close(mse_loss(turned, other), {oracle(turned, other)}));
}

TEST_CASE("mse_loss: agrees with PyTorch", "[ops][mse_loss][golden][devices]") {
    check_golden("mse_loss", [](const Golden& g) { return mse_loss(g["a"], g["b"]); });
}

GRADIENT_TEST("mse_loss", "[row:eq-1.1/b]") {
    check_gradient([](const Inputs& x) { return mse_loss(x[0], x[1]); },
                   [](Generator& random) {
                       const Shape shape = random_shape(random, 0);
                       return Inputs{random.normal(shape), random.normal(shape)};
                   });
}

TEST_CASE("mse_loss: the GPU agrees with the CPU", "[ops][mse_loss][cuda][row:eq-1.1/c]") {
    if (!missing(Device::cuda).empty()) SKIP(missing(Device::cuda));
    Generator random(4);
    Tensor f = random.normal({100, 100}), g = f.to(Device::cuda);
    const Tensor y = random.normal({100, 100});
    f.requires_grad_(), g.requires_grad_();
    const Tensor here = mse_loss(f, y), there = mse_loss(g, y.to(Device::cuda));
    here.backward(), there.backward();
    CHECK(std::abs(double(here.item()) - double(there.item())) <= 1e-4 * double(here.item()));
    const std::vector<double> want = doubles(f.grad()), got = doubles(g.grad());
    for (std::size_t i = 0; i < want.size(); ++i)
        if (!(std::abs(got[i] - want[i]) <= 1e-6 * std::abs(want[i]))) FAIL_CHECK("differs at " << i);
}

TEST_CASE("mse_loss: messages", "[ops][mse_loss]") {
    CHECK_THROWS_WITH(mse_loss(empty({2, 1}), empty({2})),
                      "mse_loss: wanted prediction and target of one shape, got (2, 1) and (2)");
    CHECK_THROWS_WITH(mse_loss(empty({0, 2}), empty({0, 2})), "mse_loss: wanted at least one number, got shape (0, 2)");
    CHECK_THROWS_WITH(mse_loss(empty({2}), empty({2}, Device::sim)),
                      "mse_loss: wanted both on one device, got cpu and sim");
}
