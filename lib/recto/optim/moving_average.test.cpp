#include <recto/optim/moving_average.hpp>

#include <recto/testing/training.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("MovingAverage: agrees with PyTorch", "[optim][golden][devices]") {
    for (const Device device : devices())
        for (const Golden& g : golden("average", device)) {
            CAPTURE(device, g.name);
            Tensor w = clone(g["start"]);
            optim::MovingAverage average({{"w", w}}, g.real("beta"));
            for (Index t = 0; t < 8; ++t) {
                std::vector<double> next = doubles(w), slope = doubles(select(g["gradients"], 0, t));
                for (std::size_t i = 0; i < next.size(); ++i) next[i] -= 0.1 * slope[i];
                w.copy_(Tensor(w.shape(), std::vector<Real>(next.begin(), next.end()), device));
                average.update();
            }
            CHECK(average.tensors()[0].name == "w");
            CHECK(close(average.tensors()[0].tensor, doubles(g["y"]), golden_tolerance));
        }
}

TEST_CASE("MovingAverage: messages", "[optim]") {
    CHECK_THROWS_WITH(optim::MovingAverage({{"w", ones({1})}}, not_a_number),
                      "MovingAverage: wanted beta from 0 to below 1, got nan");
    CHECK_THROWS_WITH(optim::MovingAverage({}), "MovingAverage: wanted at least one tensor, got none");
    CHECK_THROWS_WITH(optim::MovingAverage({{"w", ones({1})}}, 1),
                      "MovingAverage: wanted beta from 0 to below 1, got 1");
}
