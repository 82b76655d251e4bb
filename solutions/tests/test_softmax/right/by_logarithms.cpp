// Compares logarithms where a probability is large enough to have one, so that the tolerance is a relative one; templates.
#include "test_softmax.hpp"

#include <cmath>
#include <limits>

namespace {

constexpr double out = -std::numeric_limits<double>::infinity();

bool good(double x, double logarithm_of_the_sum, double y) {
    const double logarithm = x - logarithm_of_the_sum;
    return logarithm < -600 ? y >= 0 && y < 1e-200 : std::abs(std::log(y) - logarithm) < 3e-11;
}

template <int rows, int cols>
bool holds(Softmax softmax, const double (&numbers)[rows][cols]) {
    Matrix x(rows, cols);
    for (int row = 0; row < rows; ++row)
        for (int col = 0; col < cols; ++col) x(row, col) = numbers[row][col];
    const Matrix y = softmax(x);
    if (y.rows != rows || y.cols != cols) return false;
    for (int row = 0; row < rows; ++row) {
        double whole = out;  // log(exp(a) + exp(b)), one number after the other
        for (int col = 0; col < cols; ++col) {
            const double a = std::fmax(whole, x(row, col)), b = std::fmin(whole, x(row, col));
            whole = a == out ? out : a + std::log1p(std::exp(b - a));
        }
        for (int col = 0; col < cols; ++col)
            if (!good(x(row, col), whole, y(row, col))) return false;
    }
    return true;
}

bool empty(Softmax softmax, int rows, int cols) {
    const Matrix y = softmax(Matrix(rows, cols));
    return y.rows == rows && y.cols == cols;
}

}  // namespace

bool test_softmax(Softmax softmax) {
    return holds(softmax, {{1.0, 2.5, 0.5}, {-3.0, -1.0, -2.0}}) &&
           holds(softmax, {{2.0, 1.0}, {0.5, 3.0}, {0.0, -2.0}}) &&
           holds(softmax, {{800.0, 799.0}, {-800.0, -803.0}}) && holds(softmax, {{-800.0, -803.0}}) &&
           holds(softmax, {{out, 1.0, 0.0}, {1.0, 0.0, out}}) && holds(softmax, {{5.0}, {6.0}}) &&
           empty(softmax, 0, 2) && empty(softmax, 2, 0);
}
