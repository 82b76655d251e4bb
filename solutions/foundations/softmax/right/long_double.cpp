#include "softmax.hpp"

#include <algorithm>
#include <cmath>

Matrix softmax(const Matrix& x) {
    Matrix y = x;
    for (int row = 0; row < x.rows; ++row) {
        long double largest = x(row, 0), sum = 0;
        for (int col = 0; col < x.cols; ++col) largest = std::max<long double>(largest, x(row, col));
        for (int col = 0; col < x.cols; ++col) sum += std::exp(x(row, col) - largest);
        for (int col = 0; col < x.cols; ++col) y(row, col) = double(std::exp(x(row, col) - largest) / sum);
    }
    return y;
}
