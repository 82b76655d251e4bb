// wrong: forgets-shape
#include "test_softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

constexpr double excluded = -std::numeric_limits<double>::infinity();

// The definition, with the largest number of each row subtracted.
Matrix expected(const Matrix& x) {
    Matrix y = x;
    for (int row = 0; row < x.rows; ++row) {
        double largest = excluded, sum = 0;
        for (int col = 0; col < x.cols; ++col) largest = std::max(largest, x(row, col));
        for (int col = 0; col < x.cols; ++col) sum += y(row, col) = std::exp(x(row, col) - largest);
        for (int col = 0; col < x.cols; ++col) y(row, col) /= sum;
    }
    return y;
}

bool agrees(const Matrix& y, const Matrix& wanted) {
    if (y.numbers.size() < wanted.numbers.size()) return false;
    for (std::size_t at = 0; at < wanted.numbers.size(); ++at)
        if (!(std::abs(y.numbers[at] - wanted.numbers[at]) <= 1e-10)) return false;
    return true;
}

}  // namespace

bool test_softmax(Softmax softmax) {
    const Matrix inputs[] = {
        {{0.5, -0.25, 1.5}, {2.5, -1.5, 0.75}},
        {{0.5, 2.5}, {-0.25, -1.5}, {1.5, 0.75}},
        {{1000.5, 1001.5}, {-1000.5, -1001.5}},
        {{-2000.5, -2001.5}},
        {{excluded, 0.5, 1.5}, {2.5, excluded, 3.5}},
        {{3.5}, {-2.5}},
        Matrix(0, 3),
        Matrix(3, 0),
    };
    return std::all_of(std::begin(inputs), std::end(inputs),
                       [&](const Matrix& x) { return agrees(softmax(x), expected(x)); });
}
