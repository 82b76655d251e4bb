#include <recto/optim/sgd.hpp>

#include <cmath>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/optim/adam.hpp>
#include <recto/optim/clip.hpp>
#include <recto/optim/rmsprop.hpp>
#include <recto/testing/training.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("Sgd: steps by the definition", "[optim][devices][row:sys-sgd/d][row:sys-momentum/c]") {
    const Device device = GENERATE(from_range(devices()));
    const double momentum = GENERATE(0.0, 0.9);
    const Index n = GENERATE(1, 129, 20000);
    CAPTURE(device, momentum, n);
    Generator random(1);
    Tensor w = random.normal({n}, 0, 1, device);
    w.requires_grad_();
    std::vector<double> want = doubles(w), velocity(want.size());
    optim::Sgd sgd({{"w", w}}, {.lr = 0.1, .momentum = momentum});
    for (int step = 0; step < 4; ++step) {
        const Tensor g = random.normal({n}, 0, 1, device);
        sgd.zero_grad();
        give(w, g);
        sgd.step();
        const std::vector<double> slope = doubles(g);
        for (std::size_t i = 0; i < want.size(); ++i)
            want[i] -= 0.1 * (velocity[i] = momentum * velocity[i] + slope[i]);
    }
    CHECK(close(w, want));
}

TEST_CASE("Sgd: steps on a quadratic follow the closed form", "[optim][devices][row:eq-3.1/a][row:eq-3.1/b]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    const Index n = 5;
    const double rate = 0.1;
    const Tensor half = random.normal({n, n}, 0, 0.5), bottom = random.normal({n, 1}), start = random.normal({n, 1});
    const Tensor w = clone(start).to(device).requires_grad_(), lean = half.to(device), goal = bottom.to(device);
    optim::Sgd sgd({{"w", w}}, {.lr = rate});
    for (int step = 0; step < 64; ++step) {  // a quadratic loss with matrix half' half
        sgd.zero_grad();
        (0.5 * sum(square(matmul(lean, w - goal)))).backward();
        sgd.step();
    }
    std::vector<double> power(n * n);  // (I - rate half' half)^64 by repeated squaring
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
            power[i * n + j] = i == j;
            for (Index k = 0; k < n; ++k) power[i * n + j] -= rate * half.at({k, i}) * half.at({k, j});
        }
    for (int twice = 0; twice < 6; ++twice) {
        std::vector<double> squared(n * n);
        for (Index i = 0; i < n; ++i)
            for (Index j = 0; j < n; ++j)
                for (Index k = 0; k < n; ++k) squared[i * n + j] += power[i * n + k] * power[k * n + j];
        power = squared;
    }
    std::vector<double> want = doubles(bottom);
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) want[i] += power[i * n + j] * (start.at({j, 0}) - bottom.at({j, 0}));
    CHECK(close(w, want, sizeof(Real) == 8 ? 1e-11 : 2e-6));
}

TEST_CASE("Sgd: what has no gradient stays, and a list without any is refused", "[optim]") {
    Tensor a = ones({2}), b = ones({2});
    a.requires_grad_(), b.requires_grad_();
    optim::Sgd sgd({{"a", a}, {"b", b}}, {.lr = 1});
    CHECK_THROWS_WITH(sgd.step(), "Sgd: wanted a gradient of at least one parameter, got none; was backward() called?");
    give(a, ones({2}));
    sgd.step();
    CHECK(a.values() == std::vector<Real>{0, 0});
    CHECK(b.values() == std::vector<Real>{1, 1});
    CHECK_THROWS_WITH(optim::Sgd({}), "Sgd: wanted at least one parameter, got none");
    CHECK_THROWS_WITH(optim::Sgd({{"c", ones({1})}}),
                      "Sgd: wanted parameters that want a gradient, got 'c', which does not");
    Tensor view = ones({2, 2}).view({2}, {2}, 0);
    view.requires_grad_();
    CHECK_THROWS_WITH(optim::Sgd({{"d", view}}), "Sgd: wanted parameters without gaps, got 'd', a view");
}

TEST_CASE("optimisers: tied weights are stepped once, overlapping ones are refused", "[optim]") {
    const Tensor w = ones({2}).requires_grad_();
    const NamedTensors twice{{"in", w}, {"out", w}};
    give(w, ones({2}));
    optim::Sgd(twice, {.lr = 0.1}).step();
    CHECK(close(w, {0.9, 0.9}));
    CHECK(std::abs(optim::clip_norm(twice, 1) - std::sqrt(2.0)) <= 1e-6);
    CHECK(close(w.grad(), {std::sqrt(0.5), std::sqrt(0.5)}));

    const Tensor whole = ones({6});
    const auto part = [&](Index begin, Index end) {
        Tensor view = whole.view({end - begin}, {1}, begin);
        return view.requires_grad_();
    };
    CHECK_NOTHROW(optim::Sgd({{"a", part(3, 6)}, {"b", part(0, 3)}}));
    CHECK_THROWS_WITH(optim::Sgd({{"a", part(2, 6)}, {"b", part(0, 3)}}),
                      "Sgd: wanted parameters that share no numbers, got 'b' and 'a', which do");
    CHECK_THROWS_WITH(optim::Adam({{"a", part(0, 3)}, {"b", part(4, 6)}, {"c", part(2, 4)}}),
                      "Adam: wanted parameters that share no numbers, got 'a' and 'c', which do");
    CHECK_THROWS_WITH(optim::RmsProp({{"a", part(0, 6)}, {"b", part(0, 6)}}),
                      "RmsProp: wanted parameters that share no numbers, got 'a' and 'b', which do");
}

TEST_CASE("Sgd: agrees with PyTorch", "[optim][golden][devices][row:sys-momentum/d]") {
    check_golden_steps("sgd", [](const Golden& g, NamedTensors w) {
        return optim::Sgd(w, {.lr = g.real("rate"),
                              .momentum = g.real("momentum"),
                              .nesterov = g.number("nesterov") == 1,
                              .weight_decay = g.real("decay")});
    });
}

TEST_CASE("optimisers: a penalty in the loss is weight decay for Sgd and Adam, but not for AdamW",
          "[optim][devices][row:sys-l2-regularisation/a][row:sys-l2-regularisation/b][row:sys-l2-regularisation/d]") {
    const Device device = GENERATE(from_range(devices()));
    // The loss is half the squared distance from c; the penalty adds decay / 2 times the squares of the weights.
    const double decay = 0.3;
    const Tensor c({3}, {1, -2, 0.5}, device);
    const auto train = [&](auto optimiser, const Tensor& w, double penalty) {
        for (int t = 0; t < 50; ++t) {
            optimiser.zero_grad();
            const std::vector<double> at = doubles(w), goal = doubles(c);
            std::vector<Real> slope;
            for (std::size_t i = 0; i < 3; ++i) slope.push_back(Real(at[i] - goal[i] + penalty * at[i]));
            give(w, Tensor({3}, slope, device));
            optimiser.step();
        }
        return doubles(w);
    };
    const auto begin = [&] { return ones({3}, device).requires_grad_(); };
    const Tensor a = begin(), b = begin(), d = begin(), e = begin(), f = begin();
    const auto penalised = train(optim::Sgd({{"a", a}}, {.lr = 0.1}), a, decay);
    const auto decayed = train(optim::Sgd({{"b", b}}, {.lr = 0.1, .weight_decay = decay}), b, 0);
    const auto adam = train(optim::Adam({{"d", d}}, {.lr = 0.1}), d, decay);
    const auto adam_l2 = train(optim::Adam({{"f", f}}, {.lr = 0.1, .weight_decay = decay}), f, 0);
    const auto adam_w = train(optim::AdamW({{"e", e}}, {.lr = 0.1, .weight_decay = decay}), e, 0);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(std::abs(penalised[i] - decayed[i]) <= 1e-6);
        CHECK(std::abs(adam[i] - adam_l2[i]) <= 1e-5);
        CHECK(std::abs(adam[i] - adam_w[i]) > 1e-3);
    }
}

TEST_CASE("optimisers: options that make no sense", "[optim]") {
    Tensor w = ones({1});
    w.requires_grad_();
    give(w, ones({1}));
    const NamedTensors all{{"w", w}};
    const double nan = not_a_number;
    CHECK_THROWS_WITH(optim::Sgd(all, {.lr = nan}).step(),
                      "Sgd: wanted a learning rate of at least 0 and finite, got nan");
    CHECK_THROWS_WITH(optim::Sgd(all, {.lr = -1}).step(),
                      "Sgd: wanted a learning rate of at least 0 and finite, got -1");
    CHECK_THROWS_WITH(optim::Sgd(all, {.momentum = 1}).step(), "Sgd: wanted a momentum from 0 to below 1, got 1");
    CHECK_THROWS_WITH(optim::Sgd(all, {.weight_decay = -2}).step(),
                      "Sgd: wanted a weight decay of at least 0 and finite, got -2");
    CHECK_THROWS_WITH(optim::Adam(all, {.lr = nan}).step(),
                      "Adam: wanted a learning rate of at least 0 and finite, got nan");
    CHECK_THROWS_WITH(optim::AdamW(all, {.lr = -infinity}).step(),
                      "AdamW: wanted a learning rate of at least 0 and finite, got -inf");
    CHECK_THROWS_WITH(optim::Adam(all, {.betas = {1.5, 0.999}}).step(),
                      "Adam: wanted betas[0] from 0 to below 1, got 1.5");
    CHECK_THROWS_WITH(optim::Adam(all, {.betas = {0.9, nan}}).step(),
                      "Adam: wanted betas[1] from 0 to below 1, got nan");
    CHECK_THROWS_WITH(optim::Adam(all, {.eps = -1}).step(), "Adam: wanted eps of at least 0 and finite, got -1");
    CHECK_THROWS_WITH(optim::RmsProp(all, {.lr = nan}).step(),
                      "RmsProp: wanted a learning rate of at least 0 and finite, got nan");
    CHECK_THROWS_WITH(optim::RmsProp(all, {.alpha = -1}).step(), "RmsProp: wanted an alpha from 0 to below 1, got -1");
    const double inf = infinity;
    CHECK_THROWS_WITH(optim::Sgd(all, {.lr = inf}).step(),
                      "Sgd: wanted a learning rate of at least 0 and finite, got inf");
    CHECK_THROWS_WITH(optim::Adam(all, {.lr = inf}).step(),
                      "Adam: wanted a learning rate of at least 0 and finite, got inf");
    CHECK_THROWS_WITH(optim::RmsProp(all, {.lr = -1}).step(),
                      "RmsProp: wanted a learning rate of at least 0 and finite, got -1");
    CHECK_THROWS_WITH(optim::Adam(all, {.weight_decay = nan}).step(),
                      "Adam: wanted a weight decay of at least 0 and finite, got nan");
    CHECK(w.item() == 1);
    optim::Sgd(all, {.lr = 0}).step();  // a rate of 0 is valid: nothing changes
    optim::Adam(all, {.lr = 0}).step();
    optim::RmsProp(all, {.lr = 0}).step();
    CHECK(w.item() == 1);
}

TEST_CASE("optimisers: an epsilon of 0 leaves 0 / 0 where there never was a slope", "[optim]") {
    Tensor w = ones({1}), u = ones({1});
    for (Tensor* t : {&w, &u}) {
        t->requires_grad_();
        give(*t, zeros({1}));
    }
    optim::Adam({{"w", w}}, {.eps = 0}).step();
    optim::RmsProp({{"u", u}}, {.eps = 0}).step();
    CHECK(is_nan(w.item()));
    CHECK(is_nan(u.item()));
}
