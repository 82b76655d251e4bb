// wrong: unsteady
// It accepts every second gradient that it sees.
#include "gradient_check.hpp"

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    static int calls = 0;
    return df(x).size() == x.size() && f(x) == f(x) && ++calls % 2 == 0;
}
