#include "softmax.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

Matrix softmax(const Matrix& x) {
    Matrix result{x};
    for (auto at = result.numbers.begin(); at != result.numbers.end(); at += x.cols) {
        const auto end = at + x.cols;
        const double largest = *std::max_element(at, end);
        std::transform(at, end, at, [&](double v) { return std::exp(v - largest); });
        const double sum = std::accumulate(at, end, 0.0);
        std::transform(at, end, at, [&](double v) { return v / sum; });
    }
    return result;
}
