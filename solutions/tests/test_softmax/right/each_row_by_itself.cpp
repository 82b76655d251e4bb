// No reference softmax: ratios of neighbours, the sum of each row, and rows alone and together.
#include "test_softmax.hpp"

#include <cmath>
#include <limits>

static const double none = -std::numeric_limits<double>::infinity();

static bool near(double a, double b) { return std::fabs(a - b) < 1e-10; }

// y(i) exp(x(k) - x(i)) = y(k) for the largest k, and all of them sum to one.
static bool right_row(const Matrix& x, const Matrix& y, int row) {
    int best = 0;
    for (int j = 1; j < x.cols; ++j)
        if (x(row, j) > x(row, best)) best = j;
    double sum = 0;
    for (int j = 0; j < x.cols; ++j) {
        sum += y(row, j);
        if (!near(y(row, j), y(row, best) * std::exp(x(row, j) - x(row, best)))) return false;
        if (x(row, j) == none && y(row, j) != 0) return false;
    }
    return std::fabs(sum - 1) < 1e-10 * x.cols;
}

bool test_softmax(Softmax softmax) {
    std::vector<Matrix> inputs{Matrix(0, 4), Matrix(4, 0), Matrix(0, 0), {{2}}, {{7}, {-7}, {0.25}}, {{none, 0, 3, none}}};
    inputs.push_back({{3, 1, 2, -1, 0.5}, {-2, 0.125, 4, 1, 1}});
    inputs.push_back({{1, -3}, {0.5, 2}, {2.5, 0}, {-1, 1}});
    inputs.push_back({{998, 1000, 999}, {-1000, -998, -999}, {0, 0.5, none}});
    inputs.push_back({{-3000, -2999}});
    inputs.push_back({{-1e300, 1e300}});
    for (int again = 0; again < 2; ++again)
        for (const Matrix& x : inputs) {
            const Matrix y = softmax(x);
            if (y.rows != x.rows || y.cols != x.cols || y.numbers.size() != x.numbers.size()) return false;
            for (int row = 0; row < x.rows && x.cols > 0; ++row)
                if (!right_row(x, y, row)) return false;
        }
    return true;
}
