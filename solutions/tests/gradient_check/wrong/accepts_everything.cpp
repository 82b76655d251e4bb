// wrong: accepts-everything
// It compares df with itself.
#include "gradient_check.hpp"

#include <cmath>

bool gradient_is_right(Function, Gradient df, const Vector& x) {
    const Vector first = df(x), second = df(x);
    for (std::size_t i = 0; i < first.size(); ++i)
        if (std::abs(first[i] - second[i]) > 1e-6) return false;
    return true;
}
