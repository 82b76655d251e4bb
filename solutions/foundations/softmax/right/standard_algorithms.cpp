// Standard algorithms on the rows in place.
#include "softmax.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

Matrix softmax(const Matrix& x) {
    Matrix y = x;
    for (auto row = y.numbers.begin(); row != y.numbers.end(); row += x.cols) {
        const auto end = row + x.cols;
        const double largest = *std::max_element(row, end);
        std::transform(row, end, row, [largest](double score) { return std::exp(score - largest); });
        const double sum = std::accumulate(row, end, 0.0);
        std::transform(row, end, row, [sum](double power) { return power / sum; });
    }
    return y;
}
