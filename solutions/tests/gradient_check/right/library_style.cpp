// A class that measures, and a comparison of two whole vectors at the end.
#include "gradient_check.hpp"

#include <cmath>
#include <functional>
#include <limits>

namespace {

class Ruler {
public:
    Ruler(Function f, const Vector& x) : f_(f), x_(x) {}
    double step(std::size_t i) const {
        return std::cbrt(std::numeric_limits<double>::epsilon()) * (x_[i] ? std::abs(x_[i]) : 1.0);
    }
    double slope(std::size_t i) {
        const double before = x_[i], h = step(i);
        x_[i] = before + h;
        const double above = f_(x_);
        x_[i] = before - h;
        const double below = f_(x_);
        x_[i] = before;
        return above / (2 * h) - below / (2 * h);
    }
    double blur(std::size_t i) const { return 5e-13 * std::abs(f_(x_)) / step(i); }

private:
    Function f_;
    Vector x_;
};

}  // namespace

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    const Vector claimed = df(x);
    Ruler ruler(f, x);
    Vector measured, tolerance;
    for (std::size_t i = 0; i < x.size(); ++i) {
        measured.push_back(ruler.slope(i));
        tolerance.push_back(5e-5 * std::hypot(measured[i], 0.0) + ruler.blur(i));
    }
    bool right = claimed.size() == measured.size();
    for (std::size_t i = 0; right && i < claimed.size(); ++i)
        right &= std::isless(std::abs(claimed[i] - measured[i]), tolerance[i]);
    return right;
}
