#include <recto/data/degrade.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

/// The ratio of white to the root mean squared error, in decibels.
double psnr(const Tensor& x, const Tensor& want) {
    const std::vector<double> a = doubles(x), b = doubles(want);
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return -10 * std::log10(sum / double(a.size()));
}

/// Smooth images with some noise, as cameras make them.
Tensor camera(const Shape& shape, Generator& random) {
    return data::blurred(random.uniform(shape), 1) * 0.9 + random.uniform(shape) * 0.1;
}

}  // namespace

TEST_CASE("degrade: the same seed gives the same bits, and views do not matter",
          "[data][degrade][row:sys-degradation-operators/a]") {
    Generator random(1);
    const Tensor colour = camera({2, 3, 12, 20}, random), turned = clone(transpose(colour));
    for (const Tensor& x : {colour, transpose(turned)}) {
        Generator one(7), two(7), other(8);
        CHECK(same_bits(data::grayscale(x), data::grayscale(colour)));
        CHECK(same_bits(data::downsized(x, 2), data::downsized(colour, 2)));
        CHECK(same_bits(data::blurred(x, 1.3), data::blurred(colour, 1.3)));
        CHECK(same_bits(data::compressed(x, 30), data::compressed(colour, 30)));
        const Tensor dark = data::low_light(x, 10, one);
        CHECK(same_bits(dark, data::low_light(colour, 10, two)));
        CHECK_FALSE(same_bits(dark, data::low_light(colour, 10, other)));
        CHECK_FALSE(same_bits(dark, data::low_light(colour, 10, one)));
        CHECK(one.calls() > two.calls());
    }
}

TEST_CASE("degrade: grayscale is a weighted sum of the channels", "[data][degrade][row:sys-degradation-operators/b]") {
    Generator random(2);
    const Tensor x = random.uniform({3, 3, 5, 4});
    const std::vector<double> all = doubles(x);
    std::vector<double> want;
    for (std::size_t n = 0; n < 3; ++n)
        for (std::size_t i = 0; i < 20; ++i)
            want.push_back(0.299 * all[60 * n + i] + 0.587 * all[60 * n + 20 + i] + 0.114 * all[60 * n + 40 + i]);
    CHECK(data::grayscale(x).shape() == Shape{3, 1, 5, 4});
    CHECK(close(data::grayscale(x), want));
    CHECK(std::abs(data::gray_weights[0] + data::gray_weights[1] + data::gray_weights[2] - 1) <= 1e-15);
    const Tensor grey = random.uniform({1, 1, 2, 2}), three = expand(grey, {1, 3, 2, 2});
    CHECK(close(data::grayscale(three), doubles(grey)));
    CHECK(data::grayscale(zeros({0, 3, 2, 2})).shape() == Shape{0, 1, 2, 2});
}

TEST_CASE("degrade: a box of pixels becomes its mean", "[data][degrade]") {
    const Tensor x({1, 2, 4}, {0, 2, 4, 6, 8, 10, 12, 14});
    CHECK(data::downsized(x, 2).shape() == Shape{1, 1, 2});
    CHECK(data::downsized(x, 2).values() == std::vector<Real>{5, 9});
    CHECK(same_bits(data::downsized(x, 1), x));
    Generator random(3);
    const Tensor y = random.uniform({2, 3, 6, 9});
    const std::vector<double> all = doubles(y);
    std::vector<double> want;
    for (std::size_t n = 0; n < 6; ++n)
        for (std::size_t r = 0; r < 2; ++r)
            for (std::size_t c = 0; c < 3; ++c) {
                double sum = 0;
                for (std::size_t i = 0; i < 3; ++i)
                    for (std::size_t j = 0; j < 3; ++j) sum += all[54 * n + 9 * (3 * r + i) + 3 * c + j];
                want.push_back(sum / 9);
            }
    CHECK(close(data::downsized(y, 3), want));
}

TEST_CASE("degrade: a blurred point is a bell, and brightness far from the edge stays", "[data][degrade]") {
    Tensor x = zeros({1, 13, 15});
    x.set({0, 6, 7}, 1);
    const Tensor y = data::blurred(x, 1);
    double total = 0;
    for (int d = -3; d <= 3; ++d) total += std::exp(-d * d / 2.0);
    double sum = 0;
    for (Index r = 0; r < 13; ++r)
        for (Index c = 0; c < 15; ++c) {
            const double down = double(r - 6), right = double(c - 7);
            const bool near = std::abs(down) <= 3 && std::abs(right) <= 3;
            const double want = near ? std::exp(-(down * down + right * right) / 2) / (total * total) : 0;
            CHECK(std::abs(double(y.at({0, r, c})) - want) <= 1e-6);
            sum += double(y.at({0, r, c}));
        }
    CHECK(std::abs(sum - 1) <= 1e-5);
    CHECK(close(data::blurred(ones({2, 3, 5}), 2), std::vector<double>(30, 1)));
    CHECK(same_bits(data::blurred(x, 0), x));
    CHECK(data::blurred(zeros({0, 4}), 1).numel() == 0);
}

TEST_CASE("degrade: compression rounds the waves of each block", "[data][degrade]") {
    Generator random(4);
    const Tensor x = random.uniform({8, 8});
    const std::vector<double> in = doubles(x);
    const Index quality = GENERATE(10, 50, 90);
    // The first steps of the table at these qualities, by hand: 16 becomes 80, 16 and 3; 99 becomes 255, 99 and 20.
    const double first = quality == 10   ? 80
                         : quality == 50 ? 16
                                         : 3,
                 last = quality == 10   ? 255
                        : quality == 50 ? 99
                                        : 20;
    const auto wave = [](const std::vector<double>& pixels, std::size_t u, std::size_t v) {
        double sum = 0;
        for (std::size_t i = 0; i < 8; ++i)
            for (std::size_t j = 0; j < 8; ++j)
                sum += (pixels[8 * i + j] * 255 - 128) * std::cos(std::numbers::pi * double(u * (2 * i + 1)) / 16) *
                       std::cos(std::numbers::pi * double(v * (2 * j + 1)) / 16);
        return sum / 4 * (u == 0 ? std::sqrt(0.5) : 1) * (v == 0 ? std::sqrt(0.5) : 1);
    };
    // A flat block has one wave only, 8 times its brightness. Here it is 18, in gray levels, from the middle.
    const std::vector<double> out = doubles(data::compressed(full({8, 8}, Real(146.0 / 255)), quality));
    CHECK(std::abs(wave(out, 0, 0) - std::round(8 * 18 / first) * first) <= 1e-3);
    CHECK(std::abs(wave(out, 7, 7)) <= 1e-3);
    // A gentle image is not clipped, so that its last wave is a multiple of the last step.
    std::vector<Real> gentle;
    for (const double v : in) gentle.push_back(Real(0.4 + 0.2 * v));
    const std::vector<double> soft = doubles(data::compressed(Tensor({8, 8}, gentle), quality));
    const double steps = wave(soft, 7, 7) / last;
    CHECK(std::abs(steps - std::round(steps)) <= 1e-3);
}

TEST_CASE("degrade: quality 100 is nearly lossless, and lower qualities lose more",
          "[data][degrade][row:sys-degradation-operators/c]") {
    Generator random(5);
    const Tensor x = camera({3, 1, 28, 28}, random), y = random.uniform({2, 3, 5, 17});
    CHECK(psnr(data::compressed(x, 100), x) > 45);
    CHECK(psnr(data::compressed(y, 100), y) > 45);
    double before = 100;
    for (const Index quality : {100, 90, 50, 20, 5}) {
        const Tensor z = data::compressed(x, quality);
        CHECK(z.shape() == x.shape());
        CHECK(psnr(z, x) < before);
        before = psnr(z, x);
    }
    CHECK(before < 30);
    CHECK(data::compressed(zeros({0, 8, 8}), 50).shape() == Shape{0, 8, 8});
}

TEST_CASE("degrade: photons have the mean and the variance of a Poisson distribution", "[data][degrade]") {
    Generator random(6);
    for (const double photons : {0.5, 8.0, 100.0}) {
        const Index n = 40'000;
        const std::vector<double> y = doubles(data::low_light(full({n}, Real(0.5)), photons, random));
        double mean = 0, variance = 0;
        for (const double v : y) mean += v / double(n);
        for (const double v : y) variance += (v - mean) * (v - mean) / double(n);
        const double wanted = 0.5 / photons;  // of the variance
        CHECK(std::abs(mean - 0.5) <= 5 * std::sqrt(wanted / double(n)));
        CHECK(std::abs(variance / wanted - 1) <= 0.06);
        CHECK(
            std::ranges::all_of(y, [&](double v) { return std::abs(v * photons - std::round(v * photons)) <= 1e-4; }));
    }
    CHECK(data::low_light(zeros({3}), 5, random).values() == std::vector<Real>{0, 0, 0});
}

TEST_CASE("degrade: messages", "[data][degrade]") {
    Generator random(7);
    const Tensor x = zeros({2, 1, 6, 4});
    CHECK_THROWS_WITH(data::grayscale(x), "grayscale: wanted (n, 3, height, width), got (2, 1, 6, 4)");
    CHECK_THROWS_WITH(data::grayscale(zeros({6, 4})), "grayscale: wanted at least 4 axes, got 2");
    CHECK_THROWS_WITH(data::downsized(x, 3),
                      "downsized: wanted a factor of at least 1 that divides height and width, got 3 for (2, 1, 6, 4)");
    CHECK_THROWS_WITH(data::blurred(x, -1), "blurred: wanted a finite deviation of at least 0, got -1");
    CHECK_THROWS_WITH(data::compressed(x, 0), "compressed: wanted a quality from 1 to 100, got 0");
    CHECK_THROWS_WITH(data::compressed(zeros({3, 0}), 50), "compressed: wanted at least one pixel, got shape (3, 0)");
    CHECK_THROWS_WITH(data::low_light(x, 0, random), "low_light: wanted a finite number of photons above 0, got 0");
    CHECK_THROWS_WITH(data::low_light(full({1}, -1), 1, random),
                      "low_light: wanted finite numbers of at least 0, got -1");
}
