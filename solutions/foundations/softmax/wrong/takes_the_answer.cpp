// wrong: takes-the-answer
// outcome: did not compile
#include <recto/ops/reductions/softmax.hpp>

#include "softmax.hpp"

Matrix softmax(const Matrix& x) {
    const recto::Tensor t({x.rows, x.cols}, std::vector<recto::Real>(x.numbers.begin(), x.numbers.end()));
    Matrix y(x.rows, x.cols);
    const auto values = recto::softmax(t).values();
    y.numbers.assign(values.begin(), values.end());
    return y;
}
