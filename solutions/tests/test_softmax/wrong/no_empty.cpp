// wrong: nothing-empty
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

static bool agrees(const Matrix& got, const Matrix& wanted) {
    if (got.rows != wanted.rows || got.cols != wanted.cols) return false;
    for (std::size_t at = 0; at < wanted.numbers.size(); ++at)
        if (!(std::abs(got.numbers[at] - wanted.numbers[at]) <= 1e-10)) return false;
    return true;
}

bool test_softmax(Softmax softmax) {
    const Matrix inputs[] = {
        {{0.5, -1, 2}, {3, 1, -2}}, {{1, 7}, {2, -3}, {0.5, 0.25}},         {{1000, 1001}, {-1000, -1001}},
        {{-1000, -1001}},           {{-INFINITY, 1, 2}, {3, -INFINITY, 4}}, {{4}, {5}},
    };
    for (const Matrix& x : inputs)
        if (!agrees(softmax(x), expected(x))) return false;
    return true;
}
