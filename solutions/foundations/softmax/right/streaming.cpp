// One pass that rescales the sum whenever a larger number comes.
#include "softmax.hpp"

#include <cmath>
#include <limits>

Matrix softmax(const Matrix& x) {
    Matrix y = x;
    for (int row = 0; row < x.rows; ++row) {
        double largest = -std::numeric_limits<double>::infinity(), sum = 0;
        for (int col = 0; col < x.cols; ++col) {
            const double value = x(row, col);
            if (value > largest) {
                sum = sum * std::exp(largest - value) + 1;
                largest = value;
            } else if (!std::isinf(value)) {
                sum += std::exp(value - largest);
            }
        }
        for (int col = 0; col < x.cols; ++col) y(row, col) = std::exp(x(row, col) - largest) / sum;
    }
    return y;
}
