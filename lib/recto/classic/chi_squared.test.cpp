#include <recto/classic/chi_squared.hpp>

#include <cmath>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::classic;

TEST_CASE("chi_squared: the tail against the integral of the density", "[classic]") {
    for (const Index k : {1, 2, 3, 4, 7, 10, 25}) {
        for (const double x : {0.1, 1.0, 5.0, 20.0, 40.0}) {
            // Simpson's rule from x to a large value, in u = sqrt of the variable, where the density has no pole.
            const double freedom = double(k), from = std::sqrt(x), to = 16;
            const double norm = 2 / (std::pow(2, freedom / 2) * std::tgamma(freedom / 2));
            const auto density = [&](double u) { return norm * std::pow(u, freedom - 1) * std::exp(-u * u / 2); };
            const int pieces = 4000;
            const double step = (to - from) / pieces;
            double integral = density(from) + density(to);
            for (int i = 1; i < pieces; ++i) integral += (i % 2 ? 4 : 2) * density(from + i * step);
            integral *= step / 3;
            CAPTURE(k, x);
            CHECK(std::abs(chi_squared_tail(x, k) - integral) <= 1e-10);
        }
    }
    CHECK(chi_squared_tail(0, 3) == 1);
    CHECK(chi_squared_tail(-1, 3) == 1);
}

TEST_CASE("chi_squared: p-values of counts", "[classic]") {
    // 3 zeros and 1 one from a fair coin: chi-squared is 1 with one degree of freedom.
    const std::vector<Index> drawn = {0, 0, 1, 0};
    const std::vector<Real> coin = {1, 1}, with_hole = {1, 0, 1};
    CHECK(std::abs(chi_squared_p_value(drawn, coin) - std::erfc(std::sqrt(0.5))) <= 1e-15);
    CHECK(chi_squared_p_value(drawn, with_hole) == 0);  // a one has probability 0
    CHECK(chi_squared_p_value({}, coin) == 1);
    const std::vector<Index> all_ones(1000, 1);
    CHECK(chi_squared_p_value(all_ones, coin) < 1e-200);
}

TEST_CASE("chi_squared: messages", "[classic]") {
    const std::vector<Index> drawn = {2};
    const std::vector<Real> coin = {1, 1}, sure = {0, 1};
    CHECK_THROWS_WITH(chi_squared_tail(1, 0), "chi_squared_tail: wanted a freedom of at least 1, got 0");
    CHECK_THROWS_WITH(chi_squared_p_value(drawn, coin), "chi_squared_p_value: wanted indices below 2, got 2");
    CHECK_THROWS_WITH(chi_squared_p_value({}, sure), "chi_squared_p_value: wanted two positive probabilities, got 1");
}
