// Richardson: two central differences, of which the error of the larger step is taken away. Its step may then be large.
#include "gradient_check.hpp"

#include <algorithm>
#include <cmath>

static double between(Function f, Vector x, std::size_t i, double h) {
    const double middle = x[i];
    x[i] = middle + h;
    const double above = f(x);
    x[i] = middle - h;
    return (above - f(x)) / (2 * h);
}

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    const Vector dx = df(x);
    bool right = dx.size() == x.size();
    for (std::size_t i = 0; right && i < x.size(); ++i) {
        const double size = x[i] == 0 ? 1 : std::abs(x[i]), h = 2e-4 * size;
        const double slope = (4 * between(f, x, i, h / 2) - between(f, x, i, h)) / 3;
        const double tolerance = 2e-5 * std::max(std::abs(slope), std::abs(dx[i])) + 4e-13 * std::abs(f(x)) / h;
        right = std::abs(slope - dx[i]) < tolerance;
    }
    return right;
}
