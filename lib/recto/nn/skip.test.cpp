#include <recto/nn/skip.hpp>

#include <recto/nn/conv.hpp>
#include <recto/nn/pool.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("Residual: a part that returns zeros leaves the identity", "[nn][skip][devices][row:sys-residual/a]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    nn::Linear part(4, 4, random, {.device = device});
    part.weight = zeros({4, 4}, device).requires_grad_(), part.bias = zeros({4}, device).requires_grad_();
    const nn::Residual block(part);
    const Tensor x = random.normal({3, 4}, 0, 1, device).requires_grad_();
    const Tensor y = block(x);
    CHECK(same_bits(y, x));
    sum(y).backward();
    CHECK(same_bits(x.grad(), ones({3, 4}, device)));
    CHECK(nn::parameters(block)[0].name == "part.weight");
}

TEST_CASE("Residual: the sum of the input and the part's result on every device",
          "[nn][skip][devices][row:sys-residual/c]") {
    const Device device = GENERATE(from_range(devices()));
    const auto run = [](Device where) {
        Generator random(2);
        const nn::Residual block(nn::Sequential(nn::Linear(5, 5, random, {.device = where}), nn::Tanh()));
        const Tensor x = random.normal({3, 5}, 0, 1, where).requires_grad_();
        const Tensor y = block(x);
        CHECK(close(y, doubles(x + block.part(x))));
        sum(y * y).backward();
        return std::pair(y.to(Device::cpu), x.grad().to(Device::cpu));
    };
    const auto [want, want_gradient] = run(Device::cpu);
    const auto [got, gradient] = run(device);
    CHECK(close(got, doubles(want)));
    CHECK(close(gradient, doubles(want_gradient)));
}

TEST_CASE("Residual: a chain is its input plus what its blocks add", "[nn][skip][row:eq-residual-unravel/a]") {
    Generator random(7);
    const auto block = [&] { return nn::Residual(nn::Mlp({6, 9, 6}, tanh, random)); };
    const std::vector blocks = {block(), block(), block(), block()};
    const Tensor x = random.normal({3, 6});
    Tensor h = x;
    std::vector<double> want = doubles(x);
    for (const auto& one : blocks) {
        const std::vector<double> added = doubles(one.part(h));
        for (std::size_t i = 0; i < want.size(); ++i) want[i] += added[i];
        h = one(h);
    }
    CHECK(close(h, want, 1e-6));
}

TEST_CASE("SkipConcat: channels of both branches, and their common size",
          "[nn][skip][devices][row:sys-skip-concat/a][row:sys-skip-concat/c]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(3);
    const nn::SkipConcat block(nn::Conv2d(3, 5, 3, random, {.padding = 1, .device = device}));
    const Tensor x = random.normal({2, 3, 6, 4}, 0, 1, device);
    const Tensor y = block(x);
    CHECK(y.shape() == Shape{2, 8, 6, 4});
    CHECK(same_bits(contiguous(slice(y, 1, 0, 3)), x));
    CHECK(same_bits(contiguous(slice(y, 1, 3, 8)), block.part(x)));
    CHECK(nn::count(block) == nn::count(block.part));
    CHECK(nn::SkipConcat(nn::Tanh(), 2)(x).shape() == Shape{2, 3, 12, 4});
}

#ifdef RECTO_REAL_IS_DOUBLE  // in float the differences are too inexact
namespace {
/// The Jacobian of all results by central differences: a row for each result.
std::vector<double> jacobian(const auto& f, const Tensor& at) {
    const Index inputs = at.numel(), results = f(at).numel();
    std::vector<double> rows(std::size_t(inputs * results));
    const double h = 1e-5;
    for (Index j = 0; j < inputs; ++j) {
        std::vector<double> up = at.values(), down = at.values();
        up[std::size_t(j)] += h, down[std::size_t(j)] -= h;
        const auto above = doubles(f(Tensor(at.shape(), up))), below = doubles(f(Tensor(at.shape(), down)));
        for (std::size_t i = 0; i < std::size_t(results); ++i)
            rows[i * std::size_t(inputs) + std::size_t(j)] = (above[i] - below[i]) / (2 * h);
    }
    return rows;
}
}  // namespace

TEST_CASE("Residual: its Jacobian is the identity plus that of the part", "[nn][skip][row:sys-residual/b]") {
    Generator random(4);
    const nn::Mlp part({5, 7, 5}, tanh, random);
    const nn::Residual block(part);
    const Tensor x = random.normal({1, 5});
    std::vector<double> want = jacobian(part, x);
    for (std::size_t i = 0; i < 5; ++i) want[6 * i] += 1;
    for (Index i = 0; i < 5; ++i) {  // a row of the Jacobian by one backward pass
        const Tensor leaf = x.detach().requires_grad_();
        sum(slice(block(leaf), 1, i, i + 1)).backward();
        CHECK(close(leaf.grad(), {want.begin() + 5 * i, want.begin() + 5 * (i + 1)}, 1e-6));
    }
}

TEST_CASE("SkipConcat: the gradient at the fork is that of both paths", "[nn][skip][row:sys-skip-concat/b]") {
    Generator random(5);
    const nn::Conv2d part(2, 3, 3, random, {.padding = 1});
    const nn::SkipConcat block(part);
    const Tensor x = random.normal({1, 2, 4, 4}), weights = random.normal({1, 5, 4, 4});
    const auto gradient = [&](const auto& loss) {
        const Tensor leaf = x.detach().requires_grad_();
        loss(leaf).backward();
        return leaf.grad();
    };
    const auto whole = [&](const Tensor& at) { return sum(block(at) * weights); };
    const Tensor around = gradient([&](const Tensor& at) { return sum(at * slice(weights, 1, 0, 2)); });
    const Tensor through = gradient([&](const Tensor& at) { return sum(part(at) * slice(weights, 1, 2, 5)); });
    const Tensor both = gradient(whole);
    CHECK(close(both, doubles(around + through)));
    CHECK(close(both, jacobian(whole, x), 1e-6));
}
#endif

TEST_CASE("skip: errors name both shapes", "[nn][skip]") {
    Generator random(6);
    CHECK_THROWS_WITH(nn::Residual(nn::Linear(4, 1, random))(ones({3, 4})),
                      "Residual: wanted a part that keeps the shape (3, 4), got the shape (3, 1)");
    CHECK_THROWS_WITH(nn::SkipConcat(nn::MaxPool2d{2})(ones({1, 2, 4, 4})),
                      "concat: wanted shapes that differ in axis 1 only, got (1, 2, 4, 4) and (1, 2, 2, 2)");
}
