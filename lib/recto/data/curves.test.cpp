#include <recto/data/synthetic.hpp>

#include <algorithm>
#include <cmath>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::data;
using Catch::Matchers::StartsWith;

TEST_CASE("curves: samples lie where and as far off as they say", "[data]") {
    Generator random(1);
    for (const Samples& s : {noisy_samples(smooth_curve, 5000, -1, 3, 0.2, random),
                             spread_samples(smooth_curve, 5000, -1, 3, 0.2, random)}) {
        CHECK(s.size() == 5000);
        CHECK(std::ranges::is_sorted(s.x));
        CHECK(s.x.front() >= -1);
        CHECK(s.x.back() < 3);
        double mean = 0, square = 0;
        for (std::size_t i = 0; i < s.x.size(); ++i) {
            const double off = s.y[i] - smooth_curve(s.x[i]);
            mean += off / 5000, square += off * off / 5000;
        }
        CHECK(std::abs(mean) <= 0.015);
        CHECK(std::abs(std::sqrt(square) - 0.2) <= 0.01);
        CHECK_THAT(s.source, StartsWith("synthetic: 5000 samples of a curve, "));
    }
    const Samples spread = spread_samples(smooth_curve, 8, 0, 1, 0, random);
    for (std::size_t i = 0; i < 8; ++i) CHECK(std::floor(spread.x[i] * 8) == double(i));
    CHECK(spread.y[3] == smooth_curve(spread.x[3]));
    CHECK(select(spread, std::vector<Index>{5, 2}).x == std::vector<double>{spread.x[2], spread.x[5]});
}

TEST_CASE("curves: the same seed draws the same samples", "[data]") {
    Generator a(7), b(7), c(8);
    CHECK(noisy_samples(smooth_curve, 9, 0, 1, 0.1, a).y == noisy_samples(smooth_curve, 9, 0, 1, 0.1, b).y);
    CHECK(noisy_samples(smooth_curve, 9, 0, 1, 0.1, a).y != noisy_samples(smooth_curve, 9, 0, 1, 0.1, c).y);
}

TEST_CASE("curves: what repeats and what grows", "[data]") {
    for (const double x : {0.0, 0.13, 0.5, 0.91}) CHECK(std::abs(periodic_curve(x) - periodic_curve(x + 3)) <= 1e-13);
    Generator random(2);
    const Samples s = heteroscedastic_samples(20000, random);
    for (const double at : {0.0, 0.5, 0.9}) {  // the noise in a tenth of the range has the expected size
        double square = 0, want = 0, count = 0;
        for (std::size_t i = 0; i < s.x.size(); ++i) {
            if (s.x[i] < at || s.x[i] >= at + 0.1) continue;
            const double off = s.y[i] - heteroscedastic_mean(s.x[i]), deviation = heteroscedastic_deviation(s.x[i]);
            square += off * off, want += deviation * deviation, ++count;
        }
        CHECK(count > 1500);
        CHECK(std::abs(std::sqrt(square / want) - 1) <= 0.05);
    }
}

TEST_CASE("curves: grids and differences", "[data]") {
    CHECK(even_grid(5, 0, 1) == std::vector<double>{0, 0.25, 0.5, 0.75, 1});
    CHECK(even_grid(1, 2, 4) == std::vector<double>{3});
    CHECK(mean_squared_difference(std::vector<double>{1, 2}, std::vector<double>{1, 4}) == 2);
    Generator random(1);
    CHECK_THROWS_WITH(noisy_samples(smooth_curve, 0, 0, 1, 0.1, random),
                      "samples: wanted at least one sample, got none");
    CHECK_THROWS_WITH(spread_samples(smooth_curve, 3, 1, 1, 0.1, random),
                      "spread_samples: wanted low below high, got 1 and 1");
    CHECK_THROWS_WITH(even_grid(0, 0, 1), "even_grid: wanted at least one number, got 0");
    CHECK_THROWS_WITH(mean_squared_difference(std::vector<double>{1}, std::vector<double>{}),
                      "mean_squared_difference: wanted columns of one length, got 1 and 0");
}

TEST_CASE("clouds: a mixture integrates to one and its samples follow it", "[data]") {
    const Mixture mixture = three_bells();
    double total = 0, entropy = 0, held = 0;
    for (int i = 0; i < 400; ++i)
        for (int j = 0; j < 400; ++j) {
            const double p = mixture.log_density(-7 + 0.035 * i, -7 + 0.035 * j);
            total += std::exp(p) * 0.035 * 0.035, entropy -= p * std::exp(p) * 0.035 * 0.035;
        }
    CHECK(std::abs(total - 1) <= 1e-6);
    Generator random(1);
    const Examples points = mixture.draw(20000, random);
    CHECK_FALSE(points.labels.defined());
    CHECK_FALSE(points.targets.defined());
    const auto xy = points.x.values();
    for (std::size_t i = 0; i < xy.size(); i += 2) held -= mixture.log_density(xy[i], xy[i + 1]) / 20000;
    CHECK(std::abs(held - entropy) <= 0.03);  // three standard errors
}

TEST_CASE("clouds: two sides and a gap", "[data]") {
    Generator random(1);
    const Examples set = separable_clouds(200, 0.2, random);
    const auto xy = set.x.values();
    const auto labels = set.labels.values();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const double distance = 0.6 * xy[2 * i] + 0.8 * xy[2 * i + 1] - 0.1;
        CHECK(std::abs(distance) >= 0.1 - 1e-6);
        CHECK((distance > 0) == (labels[i] == 1));
    }
    CHECK(separable_clouds(2, 0, random).labels.values() == std::vector<Index>{0, 1});
    CHECK_THROWS_WITH(separable_clouds(2, 2, random), "separable_clouds: wanted a gap from 0 to 1, got 2");
}

TEST_CASE("clouds: a sparse table keeps its ratio", "[data]") {
    Generator random(1);
    const SparseTable t = sparse_table(20000, 12, 3, 10, random);
    REQUIRE(t.support.size() == 3);
    CHECK(std::ranges::is_sorted(t.support));
    double square = 0;
    for (const double y : t.y) square += y * y / 20000;
    CHECK(std::abs(square - 3.3) <= 0.15);  // 3 of signal, 0.3 of noise
    CHECK_THROWS_WITH(sparse_table(5, 3, 4, 1, random), "sparse_table: wanted 1 to 3 relevant inputs, got 4");
}

TEST_CASE("drawings: the ink's centre of mass is the target", "[data]") {
    Generator random(1);
    for (const Examples& set : {bars(200, random), figures(200, random)}) {
        CHECK(set.x.shape() == Shape{200, 1, 16, 16});
        const auto pixels = set.x.values(), targets = set.targets.values();
        const std::size_t width = std::size_t(set.targets.size(1));
        for (std::size_t n = 0; n < 200; ++n) {
            double ink = 0, x = 0, y = 0, xy = 0, xx = 0, yy = 0;
            for (std::size_t i = 0; i < 256; ++i) {
                const double p = pixels[256 * n + i], col = double(i % 16), row = double(i / 16);
                REQUIRE((p >= 0 && p <= 1));
                ink += p, x += p * col, y += p * row, xx += p * col * col, yy += p * row * row, xy += p * col * row;
            }
            x /= ink, y /= ink;
            CHECK(std::abs(x - targets[width * n]) <= 0.15);
            CHECK(std::abs(y - targets[width * n + 1]) <= 0.15);
            if (width < 3) continue;
            const double angle =
                std::atan2(2 * (xy / ink - x * y), xx / ink - x * x - yy / ink + y * y) / 2;  // of the long axis
            CHECK(std::abs(std::sin(angle - targets[3 * n + 2])) <= 0.1);
            CHECK((targets[3 * n + 2] >= 0 && targets[3 * n + 2] < Real(3.1415927)));
        }
    }
    check_labels(figures(50, random).labels, 3, "figures");
}
