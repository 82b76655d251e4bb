// wrong: forgets-length
#include "gradient_check.hpp"

#include <algorithm>
#include <cmath>

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    const Vector dx = df(x);
    Vector at = x;
    for (std::size_t i = 0; i < std::min(x.size(), dx.size()); ++i) {
        const double h = 1e-5 * (x[i] == 0 ? 1 : std::abs(x[i]));
        at[i] = x[i] + h;
        const double above = f(at);
        at[i] = x[i] - h;
        const double slope = (above - f(at)) / (2 * h);
        at[i] = x[i];
        if (!(std::abs(slope - dx[i]) <= 1e-5 * std::abs(slope) + 1e-13 * std::abs(f(x)) / h)) return false;
    }
    return true;
}
