// wrong: sums-only
#include "gradient_check.hpp"

#include <cmath>

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    const Vector dx = df(x);
    if (dx.size() != x.size()) return false;
    double wanted = 0, found = 0, size = 0;
    Vector at = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double h = 1e-5 * (x[i] == 0 ? 1 : std::abs(x[i]));
        at[i] = x[i] + h;
        const double above = f(at);
        at[i] = x[i] - h;
        const double slope = (above - f(at)) / (2 * h);
        at[i] = x[i];
        if (true) {
            wanted += slope;
            found += dx[i];
            size += std::abs(slope) + 1e-7 * std::abs(f(x)) / h;
        }
    }
    return std::abs(wanted - found) <= 1e-5 * size;
}
