// Without a maximum: 1 over the sum of exp(x_j - x_i). Quadratic, and right.
#include "softmax.hpp"

#include <cmath>

Matrix softmax(const Matrix& x) {
    Matrix y = x;
    for (int row = 0; row < x.rows; ++row)
        for (int col = 0; col < x.cols; ++col) {
            double sum = 0;
            for (int j = 0; j < x.cols; ++j) sum += j == col ? 1 : std::exp(x(row, j) - x(row, col));
            y(row, col) = std::isinf(x(row, col)) ? 0 : 1 / sum;
        }
    return y;
}
