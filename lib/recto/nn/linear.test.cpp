#include <recto/nn/linear.hpp>

#include <cmath>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("Linear: parameters and what it computes", "[nn][devices][row:eq-fully-connected/b]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    const nn::Linear layer(3, 2, random, {.device = device}), plain(3, 2, random, {.bias = false, .device = device});
    CHECK(nn::count(layer) == 8);
    CHECK(nn::count(plain) == 6);
    CHECK(nn::parameters(plain).size() == 1);
    for (const double b : doubles(layer.bias)) CHECK(std::abs(b) <= 1 / std::sqrt(3.0));
    CHECK(nn::Linear(3, 2, random, {.weights = nn::he_init}).bias.values() == std::vector<Real>{0, 0});
    const Tensor x = random.normal({4, 3}, 0, 1, device);
    const std::vector<double> w = doubles(layer.weight), b = doubles(layer.bias), a = doubles(x);
    std::vector<double> want;
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 2; ++j)
            want.push_back(b[j] + a[3 * i] * w[3 * j] + a[3 * i + 1] * w[3 * j + 1] + a[3 * i + 2] * w[3 * j + 2]);
    CHECK(close(layer(x), want));
    CHECK_THROWS_WITH(nn::Linear(-1, 2, random), "Linear: wanted sizes of at least 0, got -1 in and 2 out");
}
