#include <recto/nn/init.hpp>

#include <algorithm>
#include <cmath>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
/// Mean, standard deviation and largest magnitude.
struct Moments {
    double mean = 0, deviation = 0, most = 0;
    explicit Moments(const Tensor& x) {
        for (const double v : doubles(x)) mean += v, deviation += v * v, most = std::max(most, std::abs(v));
        mean /= double(x.size());
        deviation = std::sqrt(deviation / double(x.size()) - mean * mean);
    }
};
}  // namespace

TEST_CASE("init: fans", "[nn]") {
    CHECK(nn::fan_in({100, 784}) == 784);
    CHECK(nn::fan_out({100, 784}) == 100);
    CHECK(nn::fan_in({16, 3, 5, 5}) == 75);
    CHECK(nn::fan_out({16, 3, 5, 5}) == 400);
    CHECK_THROWS_WITH(nn::fan_in({3}), "fan_in: wanted weights (out, in, ...), got shape (3)");
}

TEST_CASE("init: distributions", "[nn][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    const Shape shape{300, 200};
    const Moments uniform(nn::uniform_init(shape, random, device)), he(nn::he_init(shape, random, device)),
        glorot(nn::glorot_init(shape, random, device)), zero(nn::zeros_init(shape, random, device));
    CHECK(std::abs(uniform.mean) < 1e-3);
    CHECK(uniform.most <= 1 / std::sqrt(200.0));
    CHECK(uniform.most > 0.999 / std::sqrt(200.0));
    CHECK(std::abs(uniform.deviation * std::sqrt(3 * 200.0) - 1) < 0.01);
    CHECK(std::abs(he.mean) < 1e-3);
    CHECK(std::abs(he.deviation * std::sqrt(200.0 / 2) - 1) < 0.01);
    CHECK(std::abs(glorot.deviation * std::sqrt(500.0 / 2) - 1) < 0.01);
    CHECK(zero.most == 0);
}
