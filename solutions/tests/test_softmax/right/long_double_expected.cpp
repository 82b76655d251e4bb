// The expected numbers in long double, without a maximum where the exponentials fit, and added from both ends.
#include "test_softmax.hpp"

#include <cmath>
#include <limits>

using Long = long double;

static Long expected(const std::vector<double>& row, std::size_t at) {
    Long whole = 0;
    for (const double other : row) whole += std::exp(Long(other) - Long(row[at]));
    return 1 / whole;
}

static bool agrees(Softmax softmax, const std::vector<std::vector<double>>& rows) {
    Matrix x(int(rows.size()), int(rows[0].size()));
    x.numbers.clear();
    for (const auto& row : rows) x.numbers.insert(x.numbers.end(), row.begin(), row.end());
    const Matrix y = softmax(x);
    if (y.rows != x.rows || y.cols != x.cols) return false;
    for (int i = 0; i < y.rows; ++i)
        for (int j = 0; j < y.cols; ++j) {
            const auto& row = rows[std::size_t(i)];
            const Long wanted = std::isinf(row[std::size_t(j)]) ? 0 : expected(row, std::size_t(j));
            const Long apart = y(i, j) - wanted;
            if (!(apart > -1e-10L && apart < 1e-10L)) return false;
        }
    return true;
}

bool test_softmax(Softmax softmax) try {
    const double out = -std::numeric_limits<double>::infinity();
    if (!agrees(softmax, {{0, 1, 2}, {2, 0.5, 1.75}, {-1, -1.5, 0}, {0.1, 0.1, 0.2}})) return false;
    if (!agrees(softmax, {{1, 4, 2, 0}, {2, 2, -3, 1}})) return false;
    if (!agrees(softmax, {{710, 711.5}, {-746, -747.5}, {0, 1}})) return false;
    if (!agrees(softmax, {{5000, 4999, 4998.5}})) return false;
    if (!agrees(softmax, {{-5000, -5001, -4999.5}})) return false;
    if (!agrees(softmax, {{out, 2, 1}, {1, out, 2}, {2, 1, out}, {out, out, -8}})) return false;
    if (!agrees(softmax, {{4}, {-4}})) return false;
    for (int rows = 0; rows < 3; ++rows)
        for (int cols = 0; cols < 3; ++cols) {
            if (rows * cols > 0) continue;
            const Matrix y = softmax(Matrix(rows, cols));
            if (y.rows != rows || y.cols != cols) return false;
        }
    return agrees(softmax, {{0, 1, 2}, {2, 0.5, 1.75}, {-1, -1.5, 0}, {0.1, 0.1, 0.2}});
} catch (...) {
    return false;
}
