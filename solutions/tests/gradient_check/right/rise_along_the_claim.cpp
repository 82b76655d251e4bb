// Compares heights, not slopes: f must rise by what the claim says, within what bends and rounds.
#include "gradient_check.hpp"

#include <algorithm>

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    const Vector claim = df(x);
    bool all = claim.size() == x.size();
    const double noise = 4e-13 * std::abs(f(x));
    for (std::size_t i = 0; all && i < x.size(); ++i) {
        Vector up = x, down = x;
        const double h = (x[i] != 0 ? std::abs(x[i]) : 1.0) * 3e-5;
        up[i] += h;
        down[i] -= h;
        const double whole = up[i] - down[i], rise = f(up) - f(down), said = whole * claim[i];
        all = std::abs(rise - said) <= 3e-5 * std::max(std::abs(rise), std::abs(said)) + noise;
    }
    return all;
}
