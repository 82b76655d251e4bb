// Everything in units of its own: x in units of its size, f in units of its value. Then fixed numbers will do.
#include "gradient_check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    const Vector dx = df(x);
    if (dx.size() != x.size()) return false;
    const double unit = std::max(std::abs(f(x)), 1e-300);
    std::vector<std::size_t> places(x.size());
    std::iota(places.begin(), places.end(), std::size_t(0));
    return std::all_of(places.begin(), places.end(), [&](std::size_t i) {
        const double size = x[i] == 0 ? 1 : std::abs(x[i]);
        const auto scaled = [&](double t) {
            Vector at(x);
            at[i] += t * size;
            return f(at) / unit;
        };
        const double slope = (scaled(2e-5) - scaled(-2e-5)) / 4e-5, claimed = dx[i] * size / unit;
        return std::abs(slope - claimed) <= 2e-8 + 2e-5 * std::abs(claimed);
    });
}
