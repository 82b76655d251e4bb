// Everything in long double, with the keys from the last to the first.
#include "causal_attention.hpp"

namespace {

using Wide = long double;

std::vector<Wide> row_of_weights(const Matrix& q, const Matrix& k, int i, int first) {
    std::vector<Wide> row(std::size_t(k.rows), 0);
    const int last = std::min(first + i, k.rows - 1);
    Wide largest = -std::numeric_limits<Wide>::infinity(), sum = 0;
    for (int j = last; j >= 0; --j) {
        Wide& score = row[std::size_t(j)];
        for (int c = 0; c < q.cols; ++c) score += Wide(q(i, c)) * k(j, c);
        score /= std::sqrt(Wide(q.cols));
        largest = std::max(largest, score);
    }
    for (int j = last; j >= 0; --j) sum += std::exp(row[std::size_t(j)] - largest);
    for (int j = last; j >= 0; --j) row[std::size_t(j)] = std::exp(row[std::size_t(j)] - largest) / sum;
    return row;
}

}  // namespace

Matrix attention_weights(const Matrix& q, const Matrix& k, int first) {
    Matrix all(q.rows, k.rows);
    for (int i = 0; i < q.rows; ++i) {
        const std::vector<Wide> row = row_of_weights(q, k, i, first);
        std::transform(row.begin(), row.end(), all.numbers.begin() + std::ptrdiff_t(i) * k.rows,
                       [](Wide weight) { return double(weight); });
    }
    return all;
}

Matrix causal_attention(const Matrix& q, const Matrix& k, const Matrix& v, int first) {
    Matrix y(q.rows, v.cols);
    for (int i = 0; i < q.rows; ++i) {
        const std::vector<Wide> row = row_of_weights(q, k, i, first);
        for (int c = 0; c < v.cols; ++c) {
            Wide sum = 0;
            for (int j = 0; j < k.rows; ++j) sum += row[std::size_t(j)] * v(j, c);
            y(i, c) = double(sum);
        }
    }
    return y;
}
