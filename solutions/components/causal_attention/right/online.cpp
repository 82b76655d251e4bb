// The online softmax: key by key, with everything so far multiplied again whenever a larger score arrives.
#include "causal_attention.hpp"

namespace {

double score(const Matrix& q, const Matrix& k, int i, int j) {
    double sum = 0;
    for (int c = 0; c < q.cols; ++c) sum += q(i, c) * k(j, c);
    return sum / std::sqrt(double(q.cols));
}

}  // namespace

Matrix attention_weights(const Matrix& q, const Matrix& k, int first) {
    // The values are the rows of an identity matrix, one after the other.
    Matrix all(q.rows, k.rows);
    for (int j = 0; j < k.rows; ++j) {
        Matrix one(k.rows, 1);
        one(j, 0) = 1;
        const Matrix column = causal_attention(q, k, one, first);
        for (int i = 0; i < q.rows; ++i) all(i, j) = column(i, 0);
    }
    return all;
}

Matrix causal_attention(const Matrix& q, const Matrix& k, const Matrix& v, int first) {
    Matrix y(q.rows, v.cols);
    for (int i = 0; i < q.rows; ++i) {
        double top = score(q, k, i, 0), total = 0;
        for (int j = 0; j < k.rows && j <= first + i; ++j) {
            const double now = score(q, k, i, j), higher = std::max(top, now), keep = std::exp(top - higher);
            const double weight = std::exp(now - higher);
            total = total * keep + weight;
            for (int c = 0; c < v.cols; ++c) y(i, c) = y(i, c) * keep + weight * v(j, c);
            top = higher;
        }
        for (int c = 0; c < v.cols; ++c) y(i, c) /= total;
    }
    return y;
}
