#include <recto/data/mixture_1d.hpp>

#include <cmath>
#include <numbers>
#include <vector>

#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <recto/testing/testing.hpp>

using namespace recto;
using Catch::Matchers::WithinAbs;
using data::Mixture1d;

TEST_CASE("mixture_1d: one bump, by hand", "[data][mixture_1d]") {
    const Mixture1d one{{{1, 2, 3}}};
    CHECK_THAT(one.mean(), WithinAbs(2, 1e-12));
    CHECK_THAT(one.variance(), WithinAbs(9, 1e-12));
    CHECK_THAT(one.density(2), WithinAbs(1 / (3 * std::sqrt(2 * std::numbers::pi)), 1e-12));
    CHECK_THAT(one.score(5), WithinAbs(-3. / 9, 1e-12));
    CHECK_THAT(one.cdf(2), WithinAbs(0.5, 1e-12));
    CHECK_THAT(one.cdf(5), WithinAbs(0.841344746, 1e-9));  // one deviation above the mean
}

TEST_CASE("mixture_1d: density, score, cdf and moments agree with sums on a grid", "[data][mixture_1d]") {
    const Mixture1d m = data::three_bumps();
    CHECK_THAT(m.mean(), WithinAbs(0, 1e-12));
    CHECK_THAT(m.variance(), WithinAbs(1, 1e-12));
    const double h = 1e-3;
    double area = 0, mean = 0, square = 0;
    for (double x = -4; x <= 4; x += h) {
        const double p = m.density(x);
        area += p * h, mean += x * p * h, square += x * x * p * h;
        const double slope = (m.log_density(x + 1e-5) - m.log_density(x - 1e-5)) / 2e-5;
        if (!(std::abs(m.score(x) - slope) <= 1e-5 * (1 + std::abs(slope)))) FAIL("the score at " << x);
        const double rise = (m.cdf(x + 1e-5) - m.cdf(x - 1e-5)) / 2e-5;
        if (!(std::abs(rise - p) <= 1e-6)) FAIL("the cdf at " << x);
    }
    CHECK_THAT(area, WithinAbs(1, 1e-9));
    CHECK_THAT(mean, WithinAbs(0, 1e-9));
    CHECK_THAT(square, WithinAbs(1, 1e-9));
}

TEST_CASE("mixture_1d: noise", "[data][mixture_1d]") {
    const Mixture1d m{{{0.25, -2, 0.5}, {0.75, 1, 0.25}}}, n = m.noised(0.36);
    CHECK_THAT(n.bumps[0].mean, WithinAbs(-1.2, 1e-12));
    CHECK_THAT(n.bumps[0].deviation, WithinAbs(std::sqrt(0.09 + 0.64), 1e-12));
    CHECK_THAT(n.variance(), WithinAbs(0.36 * m.variance() + 0.64, 1e-12));
    CHECK_THAT(m.noised(0).score(1.5), WithinAbs(-1.5, 1e-12));
    CHECK_THAT(m.noised(1).density(0.9), WithinAbs(m.density(0.9), 1e-12));
}

TEST_CASE("mixture_1d: far outside nothing underflows", "[data][mixture_1d]") {
    const Mixture1d m{{{0.5, 0, 0.01}, {0.5, 1, 0.01}}};
    CHECK(m.density(50) == 0);
    CHECK_THAT(m.score(50), WithinAbs(-49e4, 1e-6));
    CHECK(std::isfinite(m.log_density(50)));
}

TEST_CASE("mixture_1d: draws", "[data][mixture_1d]") {
    Generator random(1);
    const Mixture1d m = data::three_bumps();
    const std::vector<double> drawn = m.draw(20'000, random);
    REQUIRE(drawn.size() == 20'000);
    for (const double x : {-1.5, -0.5, 0.2, 1.0}) {
        double below = 0;
        for (const double v : drawn) below += v < x;
        CHECK_THAT(below / 20'000, WithinAbs(m.cdf(x), 0.015));
    }
}

TEST_CASE("mixture_1d: messages", "[data][mixture_1d]") {
    CHECK_THROWS_WITH(Mixture1d{}.density(0), "Mixture1d: wanted at least one bump, got none");
    CHECK_THROWS_WITH(data::three_bumps().noised(1.5), "Mixture1d: wanted a from 0 to 1, got 1.5");
}
