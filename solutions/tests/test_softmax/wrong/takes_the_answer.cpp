// wrong: takes-the-answer
// outcome: did not compile
#include <recto/ops/reductions/softmax.hpp>

#include "test_softmax.hpp"

#include <cmath>

bool test_softmax(Softmax softmax) {
    const Matrix x{{0.5, -1, 2}}, y = softmax(x);
    const auto wanted = recto::softmax(recto::Tensor({1, 3}, {0.5, -1, 2})).values();
    for (int col = 0; col < 3; ++col)
        if (!(std::abs(y(0, col) - wanted[std::size_t(col)]) <= 1e-6)) return false;
    return true;
}
