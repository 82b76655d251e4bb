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
    w.requires_grad();
    std::vector<double> want = doubles(w), v(want.size()), u(want.size());
    optim::RmsProp rms({{"w", w}}, {.rate = 0.01, .alpha = 0.8, .epsilon = 1e-3, .momentum = momentum});
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
        return optim::RmsProp(w, {.rate = g.real("rate"),
                                  .alpha = g.real("alpha"),
                                  .epsilon = g.real("epsilon"),
                                  .momentum = g.real("momentum"),
                                  .weight_decay = g.real("decay")});
    });
}

namespace {
/// Five steps, a new optimiser with the state of the old, five more: the same bits as ten in a row.
template <class O>
void resumes(const char* last, const auto& options) {
    for (const Device device : devices()) {
        CAPTURE(device, last);
        Generator random(2);
        const Tensor start = random.normal({7}, 0, 1, device), gradients = random.normal({10, 7}, 0, 1, device);
        const Tensor straight = copy_of(start).requires_grad(), broken = copy_of(start).requires_grad();
        O one({{"w", straight}}, options), first({{"w", broken}}, options), second({{"w", broken}}, options);
        const auto step = [&](O& optimiser, const Tensor& w, Index t) {
            optimiser.zero_grad();
            give(w, select(gradients, 0, t));
            optimiser.step();
        };
        for (Index t = 0; t < 10; ++t) step(one, straight, t);
        for (Index t = 0; t < 5; ++t) step(first, broken, t);
        const NamedTensors from = first.state(), to = second.state();
        REQUIRE(from.size() == to.size());
        if (!from.empty()) CHECK(from.back().name == last);
        for (std::size_t i = 0; i < to.size(); ++i) Tensor(to[i].tensor).assign(from[i].tensor);
        for (Index t = 5; t < 10; ++t) step(second, broken, t);
        CHECK(same_bits(broken, straight));
    }
}
}  // namespace

TEST_CASE("optimisers: go on from a saved state with the same bits", "[optim][devices]") {
    resumes<optim::Sgd>("", optim::SgdOptions{.rate = 0.1});
    resumes<optim::Sgd>("w.velocity", optim::SgdOptions{.rate = 0.1, .momentum = 0.9, .nesterov = true});
    resumes<optim::Adam>("w.square", optim::AdamOptions{.rate = 0.1, .weight_decay = 0.1});
    resumes<optim::RmsProp>("w.square", optim::RmsPropOptions{.rate = 0.1});
    resumes<optim::RmsProp>("w.velocity", optim::RmsPropOptions{.rate = 0.1, .momentum = 0.5});
}

TEST_CASE("RmsProp: edges and messages", "[optim]") {
    Tensor w = ones({2});
    w.requires_grad();
    optim::RmsProp rms({{"w", w}});
    CHECK_THROWS_WITH(rms.step(),
                      "RmsProp: wanted a gradient of at least one parameter, got none; was backward() called?");
    CHECK_THROWS_WITH(optim::RmsProp({}), "RmsProp: wanted at least one parameter, got none");
    give(w, zeros({2}));
    rms.step();
    CHECK(w.values() == std::vector<Real>{1, 1});  // no slope, no step
}
