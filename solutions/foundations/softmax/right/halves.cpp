// Maximum and sum by recursion over halves.
#include "softmax.hpp"

#include <algorithm>
#include <cmath>

namespace {

double largest(const double* first, int count) {
    if (count == 1) return *first;
    return std::max(largest(first, count / 2), largest(first + count / 2, count - count / 2));
}

// The sum of the exponentials, half by half.
double sum(const double* first, int count, double shift) {
    if (count == 1) return std::exp(*first - shift);
    return sum(first, count / 2, shift) + sum(first + count / 2, count - count / 2, shift);
}

}  // namespace

Matrix softmax(const Matrix& x) {
    Matrix y(x.rows, x.cols);
    for (int row = 0; row < x.rows && x.cols > 0; ++row) {
        const double* const scores = &x.numbers[std::size_t(row) * std::size_t(x.cols)];
        const double top = largest(scores, x.cols), factor = 1 / sum(scores, x.cols, top);
        for (int col = 0; col < x.cols; ++col) y(row, col) = std::exp(scores[col] - top) * factor;
    }
    return y;
}
