// wrong: no-maximum
#include "softmax.hpp"

#include <algorithm>
#include <cmath>

Matrix softmax(const Matrix& x) {
    Matrix y(x.rows, x.cols);
    for (int row = 0; row < x.rows; ++row) {
        double sum = 0;
        for (int col = 0; col < x.cols; ++col) sum += y(row, col) = std::exp(x(row, col));
        for (int col = 0; col < x.cols; ++col) y(row, col) /= sum;
    }
    return y;
}
