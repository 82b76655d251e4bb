// Tries three steps and is content with the one that comes nearest; a wrong slope is wrong by all of them.
#include "gradient_check.hpp"

#include <cmath>
#include <vector>

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    const Vector claimed = df(x);
    if (claimed.size() != x.size()) return false;
    int wrong = 0;
    Vector at = x;
    for (std::size_t i = x.size(); i-- > 0;) {
        bool found = false;
        for (const double part : {1e-6, 1e-5, 1e-4}) {
            const double h = x[i] != 0 ? part * x[i] : part;
            at[i] = x[i] - h;
            double slope = -f(at);
            at[i] = x[i] + h;
            slope = (slope + f(at)) / (2 * h);
            at[i] = x[i];
            const double gap = slope - claimed[i];
            const double allowed = 1e-5 * std::abs(claimed[i]) + (part > 5e-6 ? 1.1e-13 : 0) * std::abs(f(x) / h);
            found = found || (gap <= allowed && -gap <= allowed);
        }
        wrong += found ? 0 : 1;
    }
    return wrong == 0;
}
