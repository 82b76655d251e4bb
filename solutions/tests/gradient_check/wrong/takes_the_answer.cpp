// wrong: takes-the-answer
// outcome: did not compile
#include <recto/testing/gradcheck.hpp>

#include "gradient_check.hpp"

bool gradient_is_right(Function f, Gradient df, const Vector& x) {
    recto::check_gradient([&](const recto::Tensor& t) { return recto::Tensor(f(t.values())); });
    return df(x).size() == x.size();
}
