#include <recto/optim/adam.hpp>

#include <cmath>

#include <recto/testing/training.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("Adam: steps by the definition", "[optim][devices][row:sys-adam/c][row:sys-adam/d]") {
    const Device device = GENERATE(from_range(devices()));
    const Index n = GENERATE(1, 129, 20000);
    CAPTURE(device, n);
    Generator random(1);
    Tensor w = random.normal({n}, 0, 1, device);
    w.requires_grad_();
    std::vector<double> want = doubles(w), m(want.size()), v(want.size());
    const double rate = 0.01, beta1 = 0.8, beta2 = 0.95, eps = 1e-3;
    optim::Adam adam({{"w", w}}, {.lr = rate, .betas = {beta1, beta2}, .eps = eps});
    for (int t = 1; t <= 5; ++t) {
        const Tensor g = random.normal({n}, 0, 1, device);
        adam.zero_grad();
        give(w, g);
        adam.step();
        const std::vector<double> slope = doubles(g);
        for (std::size_t i = 0; i < want.size(); ++i) {
            m[i] = beta1 * m[i] + (1 - beta1) * slope[i];
            v[i] = beta2 * v[i] + (1 - beta2) * slope[i] * slope[i];
            const double mean = m[i] / (1 - std::pow(beta1, t)), square = v[i] / (1 - std::pow(beta2, t));
            want[i] -= rate * mean / (std::sqrt(square) + eps);
        }
    }
    CHECK(close(w, want));
}

TEST_CASE("Adam: the first step is the rate times the sign of the gradient", "[optim][devices][row:sys-adam/a]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor w = zeros({5}, device).requires_grad_();
    give(w, Tensor({5}, {3, -0.5, 1000, -1e-2f, 0.1f}, device));
    optim::Adam({{"w", w}}, {.lr = 0.01}).step();
    CHECK(close(w, {-0.01, 0.01, -0.01, 0.01, -0.01}, 1e-6));
}

TEST_CASE("Adam: a hundred steps along a bent valley", "[optim][devices][row:sys-adam/b]") {
    // The position on (1 - x)^2 + 10 (y - x^2)^2, computed once with fifty decimal digits (Python's decimal).
    struct Place {
        int step;
        double x, y;
    };
    const std::vector<Place> reference = {
        {1, -0.95000000002083329, 0.54999999995000004},  {2, -0.90106422369025829, 0.59882344394079723},
        {5, -0.77188178581854838, 0.71986397026920201},  {10, -0.66519192263554239, 0.73643167916717955},
        {20, -0.67346078715809932, 0.45142688638518674}, {50, -0.17258890933103466, 0.029620474805535361},
        {100, 0.60876968975899992, 0.35406780346268674}};
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Tensor w = Tensor({2}, {-1, 0.5}, device).requires_grad_();
    optim::Adam adam({{"w", w}}, {.lr = 0.05});
    auto next = reference.begin();
    for (int step = 1; step <= 100; ++step) {
        const std::vector<double> at = doubles(w);
        const double x = at[0], y = at[1], bend = y - x * x;
        adam.zero_grad();
        give(w, Tensor({2}, {Real(-2 * (1 - x) - 40 * x * bend), Real(20 * bend)}, device));
        adam.step();
        if (next == reference.end() || step != next->step) continue;
        CAPTURE(step);
        CHECK(close(w, {next->x, next->y}, sizeof(Real) == 8 ? 1e-12 : 1e-6));
        ++next;
    }
}

TEST_CASE("Adam: each parameter counts its own steps", "[optim][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor early = zeros({1}, device).requires_grad_(), late = zeros({1}, device).requires_grad_();
    optim::Adam adam({{"early", early}, {"late", late}}, {.lr = 0.1});
    for (int step = 1; step <= 10; ++step) {
        adam.zero_grad();
        give(early, ones({1}, device));
        if (step == 10) give(late, ones({1}, device));
        adam.step();
    }
    CHECK(std::abs(double(late.item()) + 0.1) <= 1e-6);  // also PyTorch's value
}

TEST_CASE("Adam: a refused step is not counted", "[optim]") {
    const Tensor w = ones({1}).requires_grad_();
    optim::Adam adam({{"w", w}}, {.lr = 0.1});
    for (int attempt = 0; attempt < 3; ++attempt) CHECK_THROWS(adam.step());  // no parameter has a gradient yet
    give(w, ones({1}));
    adam.options.lr = -1;
    CHECK_THROWS(adam.step());
    adam.options.lr = 0.1;
    adam.step();
    adam.step();
    CHECK(std::abs(double(w.item()) - 0.8) <= 1e-6);
}

TEST_CASE("Adam: edges and messages", "[optim]") {
    Tensor w = ones({2});
    w.requires_grad_();
    optim::Adam adam({{"w", w}}, {.lr = 1});
    CHECK_THROWS_WITH(adam.step(),
                      "Adam: wanted a gradient of at least one parameter, got none; was backward() called?");
    CHECK_THROWS_WITH(optim::Adam({}), "Adam: wanted at least one parameter, got none");
    give(w, zeros({2}));
    adam.step();
    CHECK(w.values() == std::vector<Real>{1, 1});  // gradient 0, no step
}

TEST_CASE("Adam: agrees with PyTorch", "[optim][golden][devices][row:sys-adam/e]") {
    for (const std::string op : {"adam", "adamw"})
        check_golden_steps(op, [](const Golden& g, NamedTensors w) {
            return optim::AdamW(w, {.lr = g.real("rate"),
                                    .betas = {g.real("beta1"), g.real("beta2")},
                                    .eps = g.real("epsilon"),
                                    .weight_decay = g.real("decay")});
        });
}

TEST_CASE("AdamW: weights decay without a slope", "[optim]") {
    Tensor w = full({2}, 2);
    w.requires_grad_();
    give(w, zeros({2}));
    optim::AdamW adam({{"w", w}}, {.lr = 0.5, .weight_decay = 0.5});
    adam.step();
    CHECK(w.values() == std::vector<Real>{1.5, 1.5});
    CHECK(optim::AdamW({{"w", w}}).options.weight_decay == 0.01);
    CHECK(optim::AdamW({{"w", w}}, {.lr = 0.5}).options.weight_decay == 0.01);
    CHECK(optim::Adam({{"w", w}}, {.lr = 0.5}).options.weight_decay == 0);
}
