// The weight of a key is the exponential of its score minus the logarithm of the sum; no row of weights is kept.
#include "causal_attention.hpp"

namespace {

struct Row {
    const Matrix &q, &k;
    int i, seen;
    double level = 0;  // the logarithm of the sum of exponentials

    Row(const Matrix& q_, const Matrix& k_, int i_, int first)
        : q(q_), k(k_), i(i_), seen(std::min(k_.rows, first + i_ + 1)) {
        double largest = score(0), sum = 0;
        for (int j = 1; j < seen; ++j) largest = std::max(largest, score(j));
        for (int j = 0; j < seen; ++j) sum += std::exp(score(j) - largest);
        level = std::log(sum);
        top = largest;
    }
    double score(int j) const {
        double sum = 0;
        for (int c = q.cols; c-- > 0;) sum += q(i, c) / std::sqrt(double(q.cols)) * k(j, c);
        return sum;
    }
    double weight(int j) const { return j < seen ? std::exp(score(j) - top - level) : 0; }
    double top = 0;
};

}  // namespace

Matrix attention_weights(const Matrix& q, const Matrix& k, int first) {
    Matrix all(q.rows, k.rows);
    for (int i = 0; i < q.rows; ++i) {
        const Row row(q, k, i, first);
        for (int j = 0; j < k.rows; ++j) all(i, j) = row.weight(j);
    }
    return all;
}

Matrix causal_attention(const Matrix& q, const Matrix& k, const Matrix& v, int first) {
    Matrix y(q.rows, v.cols);
    for (int i = 0; i < q.rows; ++i) {
        const Row row(q, k, i, first);
        for (int j = 0; j < row.seen; ++j) {
            const double weight = row.weight(j);
            for (int c = 0; c < v.cols; ++c) y(i, c) += weight * v(j, c);
        }
    }
    return y;
}
