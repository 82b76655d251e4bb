// A whole row of scores, in which hidden keys get minus infinity.
#include "causal_attention.hpp"

namespace {

Matrix masked_softmax(const Matrix& query, const Matrix& k, int last) {
    Matrix row(1, k.rows, -std::numeric_limits<double>::infinity());
    for (int j = 0; j < k.rows; ++j) {
        double score = 0;
        for (int c = 0; c < k.cols; ++c) score += query(0, c) * k(j, c) / std::sqrt(double(k.cols));
        if (j <= last) row(0, j) = score;
    }
    const double largest = *std::max_element(row.numbers.begin(), row.numbers.end());
    for (double& score : row.numbers) score = std::exp(score - largest);
    const double sum = std::accumulate(row.numbers.begin(), row.numbers.end(), 0.0);
    for (double& power : row.numbers) power /= sum;
    return row;
}

Matrix row_of(const Matrix& x, int i) {
    Matrix row(1, x.cols);
    for (int c = 0; c < x.cols; ++c) row(0, c) = x(i, c);
    return row;
}

}  // namespace

Matrix attention_weights(const Matrix& q, const Matrix& k, int first) {
    Matrix all(0, k.rows);
    for (int i = 0; i < q.rows; ++i) {
        const Matrix row = masked_softmax(row_of(q, i), k, first + i);
        all.numbers.insert(all.numbers.end(), row.numbers.begin(), row.numbers.end());
        ++all.rows;
    }
    return all;
}

Matrix causal_attention(const Matrix& q, const Matrix& k, const Matrix& v, int first) {
    Matrix y(q.rows, v.cols);
    for (int i = q.rows; i-- > 0;) {
        const Matrix row = masked_softmax(row_of(q, i), k, first + i);
        for (int c = 0; c < v.cols; ++c)
            for (int j = v.rows; j-- > 0;) y(i, c) += row(0, j) * v(j, c);
    }
    return y;
}
