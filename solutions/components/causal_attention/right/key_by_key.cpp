// The outer loop runs over the keys: each key is scattered to all queries that see it.
#include "causal_attention.hpp"

namespace {

struct Running {
    double top = -std::numeric_limits<double>::infinity(), total = 0;
};

// Calls use(query, key, old factor, weight) for every pair, and returns the sums.
template <class F>
std::vector<Running> scatter(const Matrix& q, const Matrix& k, int first, F use) {
    std::vector<Running> running(std::size_t(q.rows));
    for (int j = 0; j < k.rows; ++j)
        for (int i = std::max(0, j - first); i < q.rows; ++i) {
            double match = 0;
            for (int c = 0; c < q.cols; ++c) match += q(i, c) * k(j, c);
            match /= std::sqrt(double(q.cols));
            Running& one = running[std::size_t(i)];
            const double higher = std::max(one.top, match), keep = std::exp(one.top - higher),
                         weight = std::exp(match - higher);
            one = {higher, one.total * keep + weight};
            use(i, j, keep, weight);
        }
    return running;
}

}  // namespace

Matrix attention_weights(const Matrix& q, const Matrix& k, int first) {
    Matrix all(q.rows, k.rows);
    const std::vector<Running> sums = scatter(q, k, first, [&](int i, int j, double keep, double weight) {
        for (int before = 0; before < j; ++before) all(i, before) *= keep;
        all(i, j) = weight;
    });
    for (int i = 0; i < q.rows; ++i)
        for (int j = 0; j < k.rows; ++j) all(i, j) /= sums[std::size_t(i)].total;
    return all;
}

Matrix causal_attention(const Matrix& q, const Matrix& k, const Matrix& v, int first) {
    Matrix y(q.rows, v.cols);
    const std::vector<Running> sums = scatter(q, k, first, [&](int i, int j, double keep, double weight) {
        for (int c = 0; c < v.cols; ++c) y(i, c) = keep * y(i, c) + weight * v(j, c);
    });
    for (int i = 0; i < q.rows; ++i)
        for (int c = 0; c < v.cols; ++c) y(i, c) /= sums[std::size_t(i)].total;
    return y;
}
