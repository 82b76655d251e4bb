#include "gradient_check.hpp"

#include "not_written.hpp"

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    const double height = f(x);
    const Vector slopes = df(x);
    // Move one number of x at a time a little up and a little down, compare the derivative that you find with the one in
    // slopes, and delete the next line.
    not_written("gradient_is_right");
    return height == 0 && slopes.empty();
}
