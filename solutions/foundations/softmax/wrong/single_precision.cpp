// wrong: single-precision
#include "softmax.hpp"

#include <algorithm>
#include <cmath>

Matrix softmax(const Matrix& x) {
    Matrix y(x.rows, x.cols);
    for (int row = 0; row < x.rows; ++row) {
        double largest = x(row, 0);
        float sum = 0;
        for (int col = 1; col < x.cols; ++col) largest = std::max(largest, x(row, col));
        for (int col = 0; col < x.cols; ++col) sum += std::exp(float(x(row, col) - largest));
        for (int col = 0; col < x.cols; ++col) y(row, col) = std::exp(float(x(row, col) - largest)) / sum;
    }
    return y;
}
