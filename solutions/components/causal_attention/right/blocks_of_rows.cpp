// Sixty-four whole rows of the matrix at a time, as the library has them, with the queries scaled first.
#include "causal_attention.hpp"

namespace {

Matrix block(const Matrix& q, const Matrix& k, int first, int from, int to) {
    Matrix scores(to - from, k.rows);
    for (int i = from; i < to; ++i)
        for (int c = 0; c < q.cols; ++c) {
            const double scaled = q(i, c) / std::sqrt(double(q.cols));
            for (int j = 0; j < k.rows; ++j) scores(i - from, j) += scaled * k(j, c);
        }
    for (int i = 0; i < scores.rows; ++i) {
        const auto row = scores.numbers.begin() + std::ptrdiff_t(i) * k.rows, end = row + k.rows;
        const auto hidden = row + std::min(k.rows, first + from + i + 1);
        std::fill(hidden, end, -HUGE_VAL);
        const double largest = *std::max_element(row, end);
        std::transform(row, end, row, [largest](double score) { return std::exp(score - largest); });
        const double inverse = 1 / std::accumulate(row, end, 0.0);
        std::transform(row, end, row, [inverse](double power) { return power * inverse; });
    }
    return scores;
}

}  // namespace

Matrix attention_weights(const Matrix& q, const Matrix& k, int first) { return block(q, k, first, 0, q.rows); }

Matrix causal_attention(const Matrix& q, const Matrix& k, const Matrix& v, int first) {
    Matrix y(q.rows, v.cols);
    for (int from = 0; from < q.rows; from += 64) {
        const int to = std::min(q.rows, from + 64);
        const Matrix weights = block(q, k, first, from, to);
        for (int i = from; i < to; ++i)
            for (int j = 0; j < k.rows; ++j)
                for (int c = 0; c < v.cols; ++c) y(i, c) += weights(i - from, j) * v(j, c);
    }
    return y;
}
