// wrong: properties-only
#include "test_softmax.hpp"

#include <cmath>

bool test_softmax(Softmax softmax) {
    const Matrix inputs[] = {
        {{0.5, -1, 2}, {3, 1, -2}}, {{1000, 1001}, {-1000, -1001}}, {{4}, {5}}, Matrix(0, 3), Matrix(2, 0)};
    for (const Matrix& x : inputs) {
        const Matrix y = softmax(x);
        if (y.rows != x.rows || y.cols != x.cols) return false;
        for (int row = 0; row < y.rows && y.cols > 0; ++row) {
            double sum = 0;
            for (int col = 0; col < y.cols; ++col) {
                if (!(y(row, col) >= 0)) return false;
                sum += y(row, col);
            }
            if (!(std::abs(sum - 1) <= 1e-10)) return false;
        }
    }
    return true;
}
