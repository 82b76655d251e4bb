// Two central differences, whose errors of second order cancel; the difference of both tells how good they are.
#include "gradient_check.hpp"

static double slope(Function f, Vector x, std::size_t i, double h) {
    const double middle = x[i];
    x[i] = middle + h;
    const double up = f(x);
    x[i] = middle - h;
    return (up - f(x)) / (2 * h);
}

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    const Vector told = df(x);
    if (told.size() != x.size()) return false;
    const double height = std::fabs(f(x));
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double size = x[i] == 0 ? 1 : std::fabs(x[i]), h = size / 4000;
        const double wide = slope(f, x, i, 2 * h), narrow = slope(f, x, i, h), found = (4 * narrow - wide) / 3;
        const double allowed = std::fabs(found) / 20000 + 5e-13 * height / h;
        if (!(std::fabs(found - told[i]) < allowed)) return false;
    }
    return true;
}
