// One component at a time through a small class, in long double.
#include "gradient_check.hpp"

namespace {

class Probe {
public:
    Probe(Function f, const Vector& x) : f_(f), x_(x) {}
    long double at(std::size_t i, double move) {
        const double kept = x_[i];
        x_[i] = kept + move;
        const long double height = f_(x_);
        x_[i] = kept;
        return height;
    }
    long double slope(std::size_t i, double h) { return (at(i, h) - at(i, -h)) / (2 * (long double)h); }

private:
    Function f_;
    Vector x_;
};

}  // namespace

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    Probe probe(f, x);
    const Vector claimed = df(x);
    if (claimed.size() < x.size() || claimed.size() > x.size()) return false;
    int wrong = 0;
    for (std::size_t i = x.size(); i-- > 0;) {
        const double h = 2e-5 * (std::fabs(x[i]) > 0 ? std::fabs(x[i]) : 1);
        const long double found = probe.slope(i, h), apart = std::fabs(found - (long double)claimed[i]);
        const bool fine = apart <= 4e-5L * std::fabs(found) + 3e-13L * std::fabs((long double)f(x)) / h;
        wrong += !fine;
    }
    return wrong == 0;
}
