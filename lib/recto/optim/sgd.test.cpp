#include <recto/optim/sgd.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
/// Puts a gradient where backward() would.
void give(const Tensor& w, const Tensor& g) {
    record("given", Tensor(Shape{}, {0}, w.device()), {w}, [&](const Tensor&) { return Grads{copy_of(g)}; }).backward();
}
}  // namespace

TEST_CASE("Sgd: steps by the definition", "[optim][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const double momentum = GENERATE(0.0, 0.9);
    const Index n = GENERATE(1, 129, 20000);
    CAPTURE(device, momentum, n);
    Generator random(1);
    Tensor w = random.normal({n}, 0, 1, device);
    w.requires_grad();
    std::vector<double> want = doubles(w), velocity(want.size());
    optim::Sgd sgd({{"w", w}}, {.rate = 0.1, .momentum = momentum});
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

TEST_CASE("Sgd: what has no gradient stays, and a list without any is refused", "[optim]") {
    Tensor a = ones({2}), b = ones({2});
    a.requires_grad(), b.requires_grad();
    optim::Sgd sgd({{"a", a}, {"b", b}}, {.rate = 1});
    CHECK_THROWS_WITH(sgd.step(), "Sgd: wanted a gradient of at least one parameter, got none; was backward() called?");
    give(a, ones({2}));
    sgd.step();
    CHECK(a.values() == std::vector<Real>{0, 0});
    CHECK(b.values() == std::vector<Real>{1, 1});
    CHECK_THROWS_WITH(optim::Sgd({}), "Sgd: wanted at least one parameter, got none");
    CHECK_THROWS_WITH(optim::Sgd({{"c", ones({1})}}),
                      "Sgd: wanted parameters that want a gradient, got 'c', which does not");
    Tensor view = ones({2, 2}).view({2}, {2}, 0);
    view.requires_grad();
    CHECK_THROWS_WITH(optim::Sgd({{"d", view}}), "Sgd: wanted parameters without gaps, got 'd', a view");
}
