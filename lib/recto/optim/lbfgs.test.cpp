#include <recto/optim/lbfgs.hpp>

#include <cmath>
#include <limits>

#include <recto/core/random.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/fit.hpp>
#include <recto/testing/training.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("Lbfgs: a quadratic with unequal curvatures", "[optim][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index n = GENERATE(1, 10, 129);
    CAPTURE(device, n);
    std::vector<Real> curvatures;
    for (Index i = 0; i < n; ++i) curvatures.push_back(Real(1 + 99.0 * double(i) / double(n)));
    Generator random(1);
    const Tensor a({n}, curvatures, device), best = random.normal({n}, 0, 1, device);
    Tensor w = zeros({n}, device);
    w.requires_grad_();
    optim::Lbfgs lbfgs({{"w", w}});
    double before = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 60 && !lbfgs.converged(); ++k) {
        const double now = lbfgs.step([&] { return sum(a * square(w - best)); });
        CHECK(now <= before);
        before = now;
    }
    CHECK(close(w, doubles(best), 1e-3));
    CHECK(lbfgs.evaluations() < 150);
}

TEST_CASE("Lbfgs: the valley of Rosenbrock", "[optim]") {
    Tensor w({2}, {Real(-1.2), 1});
    w.requires_grad_();
    optim::Lbfgs lbfgs({{"w", w}});
    const auto loss = [&] {
        const Tensor x = slice(w, 0, 0, 1), y = slice(w, 0, 1, 2);
        return sum(square(1 - x) + 100 * square(y - square(x)));
    };
    Index steps = 0;
    while (steps < 100 && lbfgs.step(loss) > 1e-6) ++steps;
    CHECK(steps < 60);  // gradient descent needs thousands
    CHECK(std::abs(double(w.values()[0]) - 1) < 0.01);
}

TEST_CASE("Lbfgs: several parameters, and every step lowers the loss", "[optim]") {
    Generator random(3);
    const Tensor x = random.normal({60, 5});
    const Integers labels = random.integers({60}, 0, 3);
    Tensor first = random.normal({5, 8}), second = random.normal({8, 3}), idle = ones({2});
    for (Tensor* t : {&first, &second, &idle}) t->requires_grad_();
    optim::Lbfgs lbfgs({{"first", first}, {"second", second}, {"idle", idle}}, {.memory = 3});
    const auto loss = [&] { return cross_entropy(matmul(tanh(matmul(x, first)), second), labels); };
    const double start = double(loss().item());
    double before = start;
    for (int k = 0; k < 30; ++k) {
        const double now = lbfgs.step(loss);
        CHECK(now <= before);
        CHECK(std::abs(now - double(loss().item())) <= 1e-6);  // the parameters are those of the loss
        before = now;
    }
    CHECK(before < start / 2);
    CHECK(idle.values() == std::vector<Real>{1, 1});  // has no gradient
}

TEST_CASE("Lbfgs: the loss is not a number beyond a wall", "[optim]") {
    Tensor w({1}, {Real(0.01)});
    w.requires_grad_();
    optim::Lbfgs lbfgs({{"w", w}});
    const auto loss = [&] { return 0 - sum(log(w) + log(1 - w)); };  // defined between 0 and 1
    CHECK(lbfgs.step(loss) < 4.6);                                   // the first try, of length 1, is at 1.01
    CHECK(lbfgs.evaluations() >= 3);
    for (int k = 0; k < 20 && !lbfgs.converged(); ++k) lbfgs.step(loss);
    CHECK(std::abs(double(w.values()[0]) - 0.5) < 1e-3);
}

TEST_CASE("Lbfgs: edges and messages", "[optim]") {
    Tensor w = ones({2});
    w.requires_grad_();
    CHECK_THROWS_WITH(optim::Lbfgs({}), "Lbfgs: wanted at least one parameter, got none");
    CHECK_THROWS_WITH(optim::Lbfgs({{"w", w}}, {.memory = 0}), "Lbfgs: wanted a memory of at least 1, got 0");
    CHECK_THROWS_WITH(optim::Lbfgs({{"w", w}}, {.tries = 0}), "Lbfgs: wanted at least 1 try, got 0");
    CHECK_THROWS_WITH(optim::Lbfgs({{"w", w}}, {.curvature = 1}),
                      "Lbfgs: wanted 0 < decrease < curvature < 1, got 0.0001 and 1");
    optim::Lbfgs still({{"w", w}});
    CHECK(still.step([&] { return sum(square(w - 1)); }) == 0);  // gradient 0, no step
    CHECK(still.converged());
    CHECK(w.values() == std::vector<Real>{1, 1});
    optim::Lbfgs lost({{"w", w}});
    CHECK_THROWS_WITH(lost.step([&] { return sum(log(w - 1)); }),
                      "Lbfgs: wanted a finite loss and gradient, got -inf and a gradient of length inf");
}
