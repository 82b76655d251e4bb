// wrong: asks-too-much
// Where a whole row is excluded it wants the NaN that its own softmax gives; the contract says nothing of such a row.
#include "test_softmax.hpp"

#include <algorithm>
#include <cmath>

static Matrix expected(const Matrix& x) {
    Matrix y = x;
    for (int row = 0; row < x.rows; ++row) {
        double largest = x.cols > 0 ? x(row, 0) : 0, sum = 0;
        for (int col = 0; col < x.cols; ++col) largest = std::max(largest, x(row, col));
        for (int col = 0; col < x.cols; ++col) sum += y(row, col) = std::exp(x(row, col) - largest);
        for (int col = 0; col < x.cols; ++col) y(row, col) /= sum;
    }
    return y;
}

static bool near(double got, double wanted) {
    return std::isnan(wanted) ? std::isnan(got) : std::abs(got - wanted) <= 1e-10;
}

bool test_softmax(Softmax softmax) {
    const Matrix inputs[] = {
        {{0.5, -1, 2}, {3, 1, -2}},
        {{1, 7}, {2, -3}, {0.5, 0.25}},
        {{1000, 1001}, {-1000, -1001}},
        {{-1000, -1001}},
        {{-INFINITY, 1, 2}, {-INFINITY, -INFINITY, -INFINITY}},
        {{4}, {5}},
        Matrix(0, 3),
        Matrix(2, 0),
    };
    for (const Matrix& x : inputs) {
        const Matrix got = softmax(x), wanted = expected(x);
        if (got.rows != x.rows || got.cols != x.cols) return false;
        if (!std::equal(got.numbers.begin(), got.numbers.end(), wanted.numbers.begin(), near)) return false;
    }
    return true;
}
