#include "causal_attention.hpp"

namespace {

// The weights of the keys that query i sees.
std::vector<double> weights_of(const Matrix& q, const Matrix& k, int i, int first) {
    std::vector<double> weights(std::size_t(std::min(first + i + 1, k.rows)));
    for (int j = 0; j < int(weights.size()); ++j) {
        double match = 0;
        for (int c = 0; c < q.cols; ++c) match += q(i, c) * k(j, c);
        weights[std::size_t(j)] = match / std::sqrt(double(q.cols));
    }
    const double largest = *std::max_element(weights.begin(), weights.end());
    double sum = 0;
    for (double& weight : weights) sum += weight = std::exp(weight - largest);
    for (double& weight : weights) weight /= sum;
    return weights;
}

}  // namespace

Matrix attention_weights(const Matrix& q, const Matrix& k, int first) {
    Matrix all(q.rows, k.rows);
    for (int i = 0; i < q.rows; ++i) {
        const std::vector<double> weights = weights_of(q, k, i, first);
        for (int j = 0; j < int(weights.size()); ++j) all(i, j) = weights[std::size_t(j)];
    }
    return all;
}

Matrix causal_attention(const Matrix& q, const Matrix& k, const Matrix& v, int first) {
    Matrix y(q.rows, v.cols);
    for (int i = 0; i < q.rows; ++i) {
        const std::vector<double> weights = weights_of(q, k, i, first);
        for (int j = 0; j < int(weights.size()); ++j)
            for (int c = 0; c < v.cols; ++c) y(i, c) += weights[std::size_t(j)] * v(j, c);
    }
    return y;
}
