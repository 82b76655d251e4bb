#include "gradient_check.hpp"
#include "trial.hpp"

static double f(const Vector& x) { return kit::candidate("f", x).next<double>(); }

static Vector df(const Vector& x) { return kit::candidate("df", x).next<Vector>(); }

static bool test(const Vector& x) {
    return kit::verdict([&] { return gradient_is_right(f, df, x); });
}
static const kit::Function gradient_is_right_("gradient_is_right", test);
