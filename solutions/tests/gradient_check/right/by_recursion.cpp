// Component by component from the last to the first, in long double, with the step that the rounded x really takes.
#include "gradient_check.hpp"

#include <cmath>

namespace {

bool component(Function f, const Vector& dx, Vector& x, std::size_t left) {
    if (left == 0) return true;
    const double middle = x[left - 1], size = std::fabs(middle) > 0 ? std::fabs(middle) : 1, whole = std::fabs(f(x));
    const double up = middle + 3e-6 * size, down = middle - 3e-6 * size;
    x[left - 1] = up;
    const long double above = f(x);
    x[left - 1] = down;
    const long double below = f(x), slope = (above - below) / ((long double)(up)-down);
    x[left - 1] = middle;
    const long double gap = std::fabs(slope - (long double)(dx[left - 1]));
    if (std::isnan(gap) || gap > 8e-5L * std::fabs(slope) + 2e-13L * whole / (3e-6L * size)) return false;
    return component(f, dx, x, left - 1);
}

}  // namespace

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    const Vector dx = df(x);
    Vector at = x;
    return dx.size() == x.size() && component(f, dx, at, x.size());
}
