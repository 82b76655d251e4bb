// One side only, but with two steps: 4 f(x + h) - f(x + 2h) - 3 f(x) cancels the bend as well.
#include "gradient_check.hpp"

#include <cmath>

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    const Vector dx = df(x);
    if (dx.size() != x.size()) return false;
    const double here = f(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double h = 2e-5 * (x[i] == 0 ? 1 : x[i]);  // backwards where x[i] is negative
        Vector once = x, twice = x;
        once[i] += h;
        twice[i] += 2 * h;
        const double slope = (4 * f(once) - f(twice) - 3 * here) / (2 * h);
        if (!(std::fabs(slope - dx[i]) <= 3e-5 * std::fabs(dx[i]) + 4e-13 * std::fabs(here / h))) return false;
    }
    return true;
}
