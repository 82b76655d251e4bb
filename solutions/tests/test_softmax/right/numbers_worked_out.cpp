// Rows whose probabilities are fractions: the logarithms of whole numbers, moved by any number.
#include "test_softmax.hpp"

#include <cmath>
#include <limits>

namespace {

using Counts = std::vector<std::vector<int>>;  // of each class, in each row

Matrix scores(const Counts& counts, double move) {
    Matrix x(int(counts.size()), int(counts.at(0).size()));
    for (int i = 0; i < x.rows; ++i)
        for (int j = 0; j < x.cols; ++j) {
            const int count = counts[std::size_t(i)][std::size_t(j)];
            x(i, j) = count == 0 ? -std::numeric_limits<double>::infinity() : std::log(count) + (i % 2 ? -move : move);
        }
    return x;
}

bool right(const Counts& counts, const Matrix& y) {
    if (y.rows != int(counts.size()) || y.cols != int(counts[0].size())) return false;
    for (int i = 0; i < y.rows; ++i) {
        double whole = 0;
        for (const int count : counts[std::size_t(i)]) whole += count;
        for (int j = 0; j < y.cols; ++j) {
            const double error = y(i, j) - counts[std::size_t(i)][std::size_t(j)] / whole;
            if (!(error * error <= 1e-20)) return false;
        }
    }
    return true;
}

}  // namespace

bool test_softmax(Softmax softmax) {
    const std::vector<Counts> all{{{1, 3, 4}, {6, 1, 1}}, {{5, 2}, {1, 2}, {9, 1}}, {{0, 1, 3}, {2, 0, 2}, {1, 1, 0}},
                                  {{7}, {2}},             {{3, 1, 2, 2}},            {{0, 5, 0, 3}}};
    for (const double move : {0.0, 3.0, 720.0, -760.0, 2000.0})
        for (const Counts& counts : all)
            if (!right(counts, softmax(scores(counts, move)))) return false;
    const Matrix no_rows = softmax(Matrix(0, 2)), no_columns = softmax(Matrix(2, 0));
    return no_rows.rows == 0 && no_rows.cols == 2 && no_columns.rows == 2 && no_columns.cols == 0;
}
