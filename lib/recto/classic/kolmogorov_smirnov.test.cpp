#include <recto/classic/kolmogorov_smirnov.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <recto/testing/testing.hpp>

using namespace recto;
using Catch::Matchers::WithinAbs;
using classic::kolmogorov_smirnov;

namespace {

double uniform(double x) { return std::clamp(x, 0.0, 1.0); }

}  // namespace

TEST_CASE("kolmogorov_smirnov: by hand", "[classic][kolmogorov_smirnov]") {
    CHECK_THAT(kolmogorov_smirnov({0.5}, uniform), WithinAbs(0.5, 1e-12));
    // Shares 1/4, 1/2, 3/4 and 1 at 0.1, 0.2, 0.3 and 0.9: furthest at 0.3, by 0.75 - 0.3.
    CHECK_THAT(kolmogorov_smirnov({0.9, 0.1, 0.3, 0.2}, uniform), WithinAbs(0.45, 1e-12));
    // Just below 0.8 the share is 0.
    CHECK_THAT(kolmogorov_smirnov({0.8, 0.9}, uniform), WithinAbs(0.8, 1e-12));
    CHECK_THAT(kolmogorov_smirnov({2, 3, 4}, uniform), WithinAbs(1, 1e-12));
}

TEST_CASE("kolmogorov_smirnov: samples of the distribution", "[classic][kolmogorov_smirnov]") {
    Generator random(1);
    std::vector<double> found;
    for (int draw = 0; draw < 101; ++draw) {
        std::vector<double> samples;
        for (int i = 0; i < 400; ++i) samples.push_back(random.next_uniform());
        found.push_back(std::sqrt(400.) * kolmogorov_smirnov(samples, uniform));
    }
    std::ranges::sort(found);
    CHECK_THAT(found[50], WithinAbs(0.83, 0.1));  // the median of Kolmogorov's distribution
    CHECK(found[98] < 1.9);
}

TEST_CASE("kolmogorov_smirnov: messages", "[classic][kolmogorov_smirnov]") {
    CHECK_THROWS_WITH(kolmogorov_smirnov({}, uniform), "kolmogorov_smirnov: wanted at least one sample, got none");
    CHECK_THROWS_WITH(kolmogorov_smirnov({0.5, std::numeric_limits<double>::quiet_NaN()}, uniform),
                      "kolmogorov_smirnov: wanted numbers, got a NaN");
}
