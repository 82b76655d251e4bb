#include <recto/optim/rmsprop.hpp>

#include <cmath>

#include <recto/optim/adam.hpp>
#include <recto/optim/sgd.hpp>
#include <recto/testing/training.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("RmsProp: steps by the definition", "[optim][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const double momentum = GENERATE(0.0, 0.7);
    const Index n = GENERATE(1, 129, 20000);
    CAPTURE(device, momentum, n);
    Generator random(1);
    Tensor w = random.normal({n}, 0, 1, device);
    w.requires_grad_();
    std::vector<double> want = doubles(w), v(want.size()), u(want.size());
    optim::RmsProp rms({{"w", w}}, {.lr = 0.01, .alpha = 0.8, .eps = 1e-3, .momentum = momentum});
    for (int t = 0; t < 5; ++t) {
        const Tensor g = random.normal({n}, 0, 1, device);
        rms.zero_grad();
        give(w, g);
        rms.step();
        const std::vector<double> slope = doubles(g);
        for (std::size_t i = 0; i < want.size(); ++i) {
            v[i] = 0.8 * v[i] + 0.2 * slope[i] * slope[i];
            want[i] -= 0.01 * (u[i] = momentum * u[i] + slope[i] / (std::sqrt(v[i]) + 1e-3));
        }
    }
    CHECK(close(w, want, usual * 4));
}

TEST_CASE("RmsProp: agrees with PyTorch", "[optim][golden][devices]") {
    check_golden_steps("rmsprop", [](const Golden& g, NamedTensors w) {
        return optim::RmsProp(w, {.lr = g.real("rate"),
                                  .alpha = g.real("alpha"),
                                  .eps = g.real("epsilon"),
                                  .momentum = g.real("momentum"),
                                  .weight_decay = g.real("decay")});
    });
}

TEST_CASE("RmsProp: edges and messages", "[optim]") {
    Tensor w = ones({2});
    w.requires_grad_();
    optim::RmsProp rms({{"w", w}});
    CHECK_THROWS_WITH(rms.step(),
                      "RmsProp: wanted a gradient of at least one parameter, got none; was backward() called?");
    CHECK_THROWS_WITH(optim::RmsProp({}), "RmsProp: wanted at least one parameter, got none");
    give(w, zeros({2}));
    rms.step();
    CHECK(w.values() == std::vector<Real>{1, 1});  // gradient 0, no step
}
