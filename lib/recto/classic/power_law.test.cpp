#include <recto/classic/power_law.hpp>

#include <cmath>

#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <recto/testing/testing.hpp>

using namespace recto;
using Catch::Matchers::WithinRel;
using classic::fit_power_law, classic::PowerLaw;

namespace {

struct Points {
    std::vector<double> x, y;
};

/// Points of c x^-alpha + offset over three decades, each multiplied by random noise.
Points points(double scale, double exponent, double offset, double noise, int count, Generator& random) {
    Points made;
    for (int i = 0; i < count; ++i) {
        made.x.push_back(std::pow(10, 3 * double(i) / (count - 1)));
        made.y.push_back((scale * std::pow(made.x.back(), -exponent) + offset) *
                         std::exp(noise * random.next_normal()));
    }
    return made;
}

}  // namespace

TEST_CASE("power law: exact points give the law back", "[row:eq-scaling-law/a]") {
    Generator random(1);
    const Points p = points(5, 0.3, 0, 0, 10, random);
    const PowerLaw law = fit_power_law(p.x, p.y, random);
    CHECK_THAT(law.scale, WithinRel(5., 1e-12));
    CHECK_THAT(law.exponent, WithinRel(0.3, 1e-12));
    CHECK_THAT(law.r_squared, WithinRel(1., 1e-12));
    CHECK_THAT(law.lowest, WithinRel(0.3, 1e-12));
    CHECK_THAT(law(100), WithinRel(5 * std::pow(100, -0.3), 1e-12));
    CHECK(law.offset == 0);
}

TEST_CASE("power law: with one percent of noise the exponent is within two percent", "[row:eq-scaling-law/a]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Generator random(seed);
        const Points p = points(5, 0.3, 0, 0.01, 25, random);
        const PowerLaw law = fit_power_law(p.x, p.y, random);
        CHECK(std::abs(law.exponent - 0.3) <= 0.02 * 0.3);
        CHECK(law.lowest <= law.exponent);
        CHECK(law.exponent <= law.highest);
        CHECK(law.highest - law.lowest < 0.02);
    }
}

TEST_CASE("power law: the interval holds the truth about as often as it says", "[row:eq-scaling-law/c]") {
    int inside = 0;
    constexpr int trials = 200;
    for (int trial = 0; trial < trials; ++trial) {
        Generator random(std::uint64_t(1000 + trial));
        const Points p = points(2, 0.5, 0, 0.05, 30, random);
        const PowerLaw law = fit_power_law(p.x, p.y, random);
        inside += law.lowest <= 0.5 && 0.5 <= law.highest;
    }
    CHECK(inside >= 0.85 * trials);  // the bootstrap of 30 points is slightly overconfident
    CHECK(inside <= 0.99 * trials);
}

TEST_CASE("power law: an offset is found, and its lack is seen", "[row:eq-scaling-law/b]") {
    Generator random(3);
    const Points p = points(5, 0.5, 2, 0, 12, random);
    const PowerLaw with = fit_power_law(p.x, p.y, random, {.offset = true, .draws = 0});
    CHECK_THAT(with.offset, WithinRel(2., 1e-4));
    CHECK_THAT(with.exponent, WithinRel(0.5, 1e-3));
    const PowerLaw without = fit_power_law(p.x, p.y, random, {.draws = 0});
    CHECK(without.r_squared < 0.95);
    CHECK(without.lowest == without.exponent);
}

TEST_CASE("power law: what has none is refused") {
    Generator random(1);
    const std::vector<double> three = {1, 2, 3}, same = {2, 2, 2}, zero = {1, 0, 1};
    CHECK_THROWS_WITH(fit_power_law(three, same, random, {.offset = true}),
                      "power law: wanted at least 4 points, got 3");
    CHECK_THROWS_WITH(fit_power_law(same, three, random), "power law: wanted at least two different x, got 2 alone");
    CHECK_THROWS_WITH(fit_power_law(three, zero, random), "power law: wanted positive finite numbers");
    CHECK_THROWS_WITH(fit_power_law(std::span(three).first(2), three, random),
                      "power law: wanted as many y as x, got 3 and 2");
    CHECK_THROWS_WITH(fit_power_law(three, three, random, {.draws = -1}), "power law: wanted at least 0 draws, got -1");
}
