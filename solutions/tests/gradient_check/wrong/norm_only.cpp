// wrong: norm-only
#include "gradient_check.hpp"

#include <cmath>

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    const Vector claimed = df(x);
    if (claimed.size() != x.size()) return false;
    double wrong = 0, whole = 0;
    Vector moved = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double step = 1e-5 * (x[i] == 0 ? 1 : std::abs(x[i]));
        moved[i] = x[i] + step;
        const double above = f(moved);
        moved[i] = x[i] - step;
        const double below = f(moved), slope = (above - below) / (2 * step);
        moved[i] = x[i];
        wrong += (slope - claimed[i]) * (slope - claimed[i]);
        whole += slope * slope;
    }
    return std::sqrt(wrong) <= 1e-5 * std::sqrt(whole);
}
