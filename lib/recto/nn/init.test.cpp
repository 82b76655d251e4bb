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
        mean /= double(x.numel());
        deviation = std::sqrt(deviation / double(x.numel()) - mean * mean);
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
        glorot(nn::glorot_init(shape, random, device)), lecun(nn::lecun_init(shape, random, device)),
        zero(nn::zeros_init(shape, random, device));
    CHECK(std::abs(uniform.mean) < 1e-3);
    CHECK(uniform.most <= 1 / std::sqrt(200.0));
    CHECK(uniform.most > 0.999 / std::sqrt(200.0));
    CHECK(std::abs(uniform.deviation * std::sqrt(3 * 200.0) - 1) < 0.01);
    CHECK(std::abs(he.mean) < 1e-3);
    CHECK(std::abs(he.deviation * std::sqrt(200.0 / 2) - 1) < 0.01);
    CHECK(std::abs(glorot.deviation * std::sqrt(500.0 / 2) - 1) < 0.01);
    CHECK(std::abs(lecun.deviation * std::sqrt(200.0) - 1) < 0.01);
    CHECK(zero.most == 0);
}

TEST_CASE("init: orthogonal matrices", "[nn][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const auto [shape, gain] = GENERATE(table<Shape, double>({{{1, 1}, 1},
                                                              {{128, 128}, 1},
                                                              {{129, 60}, 1.3},
                                                              {{60, 129}, -0.5},
                                                              {{16, 3, 5, 5}, 1},
                                                              {{40, 2, 3}, 2},
                                                              {{5, 0}, 1},
                                                              {{0, 5}, 1}}));
    CAPTURE(device, shape, gain);
    Generator random(7), again(7), other(8);
    const Tensor weights = nn::orthogonal_init(shape, gain, random, device);
    CHECK(weights.shape() == shape);
    CHECK(weights.device() == device);
    CHECK(same_bits(weights, nn::orthogonal_init(shape, gain, again, device)));
    CHECK(random.calls() == again.calls());
    if (weights.numel() > 1) CHECK_FALSE(same_bits(weights, nn::orthogonal_init(shape, gain, other, device)));

    // The products of all columns, or of all rows if there are fewer: the identity times the squared gain, up to
    // rounding.
    const std::vector<double> w = doubles(weights);
    const Index out = shape[0], in = nn::fan_in(shape), count = std::min(out, in), length = std::max(out, in);
    const auto entry = [&](Index k, Index t) { return w[std::size_t(out >= in ? t * in + k : k * in + t)]; };
    double worst = 0;
    for (Index a = 0; a < count; ++a)
        for (Index b = 0; b <= a; ++b) {
            double product = 0;
            for (Index t = 0; t < length; ++t) product += entry(a, t) * entry(b, t);
            worst = std::max(worst, std::abs(product / (gain * gain) - (a == b)));
        }
    CHECK(worst <= (sizeof(Real) == 8 ? 1e-14 : 2e-7));
}

TEST_CASE("init: orthogonal matrices have no preferred direction", "[nn]") {
    // The trace of a random orthogonal matrix has mean 0 and variance 1; without random signs it would not.
    Generator random(9);
    double sum = 0, squares = 0;
    const int count = 2000;
    for (int i = 0; i < count; ++i) {
        const std::vector<double> w = doubles(nn::orthogonal_init({3, 3}, random));
        const double trace = w[0] + w[4] + w[8];
        sum += trace, squares += trace * trace;
    }
    CHECK(std::abs(sum / count) < 4 / std::sqrt(double(count)));
    CHECK(std::abs(squares / count - 1) < 4 * std::sqrt(2.0 / count));
    CHECK_THROWS_WITH(nn::orthogonal_init({3}, random),
                      "orthogonal_init: wanted weights (out, in, ...), got shape (3)");
    CHECK_THROWS_WITH(nn::orthogonal_init({3, 3}, NAN, random), "orthogonal_init: wanted a finite gain, got nan");
}
