// Halves the seen keys again and again, and merges the means of both halves.
#include "causal_attention.hpp"

namespace {

struct Mean {
    double top, total;
    std::vector<double> sum;
};

Mean mean_of(const Matrix& q, const Matrix& k, const Matrix& v, int i, int from, int to) {
    if (to - from == 1) {
        double match = 0;
        for (int c = 0; c < q.cols; ++c) match += q(i, c) * k(from, c);
        Mean one{match / std::sqrt(double(q.cols)), 1, {}};
        for (int c = 0; c < v.cols; ++c) one.sum.push_back(v(from, c));
        return one;
    }
    const int middle = from + (to - from) / 2;
    Mean left = mean_of(q, k, v, i, from, middle), right = mean_of(q, k, v, i, middle, to);
    if (left.top < right.top) std::swap(left, right);
    const double lower = std::exp(right.top - left.top);
    left.total += lower * right.total;
    for (std::size_t c = 0; c < left.sum.size(); ++c) left.sum[c] += lower * right.sum[c];
    return left;
}

}  // namespace

Matrix attention_weights(const Matrix& q, const Matrix& k, int first) {
    Matrix identity(k.rows, k.rows);
    for (int j = 0; j < k.rows; ++j) identity(j, j) = 1;
    return causal_attention(q, k, identity, first);
}

Matrix causal_attention(const Matrix& q, const Matrix& k, const Matrix& v, int first) {
    Matrix y(q.rows, v.cols);
    for (int i = 0; i < q.rows; ++i) {
        const Mean mean = mean_of(q, k, v, i, 0, std::min(k.rows, first + i + 1));
        for (int c = 0; c < v.cols; ++c) y(i, c) = mean.sum[std::size_t(c)] / mean.total;
    }
    return y;
}
