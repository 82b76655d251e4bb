// wrong: relative-only
#include "gradient_check.hpp"

#include <algorithm>
#include <cmath>

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    const Vector dx = df(x);
    if (dx.size() != x.size()) return false;
    Vector at = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double h = 1e-5 * (x[i] == 0 ? 1 : std::abs(x[i]));
        at[i] = x[i] + h;
        const double above = f(at);
        at[i] = x[i] - h;
        const double slope = (above - f(at)) / (2 * h);
        at[i] = x[i];
        if (!(std::abs(slope - dx[i]) <= 1e-5 * std::max(std::abs(slope), std::abs(dx[i])))) return false;
    }
    return true;
}
