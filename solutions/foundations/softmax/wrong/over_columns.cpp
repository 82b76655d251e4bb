// wrong: over-columns
#include "softmax.hpp"

#include <algorithm>
#include <cmath>

Matrix softmax(const Matrix& x) {
    Matrix y(x.rows, x.cols);
    for (int col = 0; col < x.cols; ++col) {
        double largest = x(0, col), sum = 0;
        for (int row = 1; row < x.rows; ++row) largest = std::max(largest, x(row, col));
        for (int row = 0; row < x.rows; ++row) sum += y(row, col) = std::exp(x(row, col) - largest);
        for (int row = 0; row < x.rows; ++row) y(row, col) /= sum;
    }
    return y;
}
