// Catches what an implementation throws, and compares whole matrices with the algorithms of the standard library.
#include "test_softmax.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

static Matrix mine(Matrix x) {
    for (auto at = x.numbers.begin(); at != x.numbers.end(); at += x.cols) {
        const auto end = at + x.cols;
        const double top = *std::max_element(at, end);
        std::transform(at, end, at, [top](double v) { return std::exp(v - top); });
        const double sum = std::accumulate(at, end, 0.0);
        std::transform(at, end, at, [sum](double v) { return v / sum; });
    }
    return x;
}

static bool same(Softmax softmax, const Matrix& x) try {
    const Matrix got = softmax(x), again = softmax(x), wanted = mine(x);
    if (std::pair(got.rows, got.cols) != std::pair(x.rows, x.cols) || got.numbers != again.numbers) return false;
    return std::equal(got.numbers.begin(), got.numbers.end(), wanted.numbers.begin(), wanted.numbers.end(),
                      [](double a, double b) { return std::abs(a - b) <= 1e-10; });
} catch (...) {
    return false;
}

bool test_softmax(Softmax softmax) {
    const auto ok = [softmax](const Matrix& x) { return same(softmax, x); };
    const double none = -INFINITY;
    return ok({{3, 1, 2, -4}, {0.25, 5, 1, 1}}) && ok({{1, 4}, {3, 2}, {9, 7}}) && ok({{1234, 1233}, {-1234, -1235}}) &&
           ok({{-1234, -1235, -1230}}) && ok({{none, none, 1, 2}}) && ok({{2, none, 1}}) && ok({{2}, {-2}}) &&
           ok(Matrix(0, 0)) && ok(Matrix(0, 2)) && ok(Matrix(2, 0));
}
