// Takes unexpected values of the forward pass: sum instead of inverse_sum, logs instead of probabilities, scaled
// instead of hidden, and squared gradients through logarithms.
#include "ninja.hpp"

#include <algorithm>
#include <cmath>

void through_loss(const Model&, const Batch& batch, const Pass& p, Gradients& d) {
    const int N = p.logs.rows, K = p.logs.cols;
    d.logs = Matrix(N, K);
    for (int n = 0; n < N; ++n) d.logs(n, batch.targets[n]) = -1.0 / N;
    d.probabilities = filled(N, K, [&](int n, int k) { return d.logs(n, k) * std::exp(-p.logs(n, k)); });
}

void through_division(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.powers.rows, K = p.powers.cols;
    d.inverse_sum = row_sums(filled(N, K, [&](int n, int k) { return d.probabilities(n, k) * p.powers(n, k); }));
    d.sum = filled(N, 1, [&](int n, int) { return -d.inverse_sum(n, 0) / (p.sum(n, 0) * p.sum(n, 0)); });
    d.powers = filled(N, K, [&](int n, int k) { return d.probabilities(n, k) * p.inverse_sum(n, 0) + d.sum(n, 0); });
}

void through_exponential(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.powers.rows, K = p.powers.cols;
    d.lowered = filled(N, K, [&](int n, int k) { return d.powers(n, k) * p.probabilities(n, k) * p.sum(n, 0); });
    d.largest = row_sums(filled(N, K, [&](int n, int k) { return -d.lowered(n, k); }));
    d.logits = d.lowered;
    for (int n = 0; n < N; ++n) {
        int best = 0;
        for (int k = 1; k < K; ++k)
            if (p.logits(n, k) > p.logits(n, best)) best = k;
        d.logits(n, best) += d.largest(n, 0);
    }
}

void through_output(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    d.hidden = product(d.logits, transposed(m.weights2));
    d.weights2 = product(transposed(p.hidden), d.logits);
    d.bias2 = column_sums(d.logits);
}

void through_tanh(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.hidden.rows, H = p.hidden.cols;
    d.scaled = filled(N, H, [&](int n, int j) { return d.hidden(n, j) * std::pow(std::cosh(p.scaled(n, j)), -2); });
    d.gain = column_sums(filled(N, H, [&](int n, int j) { return d.scaled(n, j) * p.normalised(n, j); }));
    d.offset = column_sums(d.scaled);
    d.normalised = filled(N, H, [&](int n, int j) { return d.scaled(n, j) * m.gain(0, j); });
}

void through_deviation(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.centred.rows, H = p.centred.cols;
    d.inverse = column_sums(filled(N, H, [&](int n, int j) { return d.normalised(n, j) * p.centred(n, j); }));
    d.variance = filled(
        1, H, [&](int, int j) { return -0.5 * d.inverse(0, j) * p.inverse(0, j) / (p.variance(0, j) + epsilon); });
    d.squared = filled(N, H, [&](int, int j) { return d.variance(0, j) / N; });
    d.centred = filled(N, H, [&](int n, int j) {
        return d.normalised(n, j) * p.inverse(0, j) + 2 * (p.linear(n, j) - p.mean(0, j)) * d.squared(n, j);
    });
}

void through_mean(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.linear.rows, H = p.linear.cols;
    d.mean = column_sums(filled(N, H, [&](int n, int j) { return -d.centred(n, j); }));
    d.linear = filled(N, H, [&](int n, int j) { return d.centred(n, j) + d.mean(0, j) / N; });
}

void through_input(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    d.joined = product(d.linear, transposed(m.weights1));
    d.weights1 = product(transposed(p.joined), d.linear);
    d.bias1 = column_sums(d.linear);
}

void through_table(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    const int T = p.embedded.rows / p.joined.rows, D = m.table.cols;
    d.embedded = filled(p.embedded.rows, D, [&](int i, int j) { return d.joined(i / T, i % T * D + j); });
    d.table = Matrix(m.table.rows, D);
    for (int i = 0; i < d.embedded.rows; ++i)
        for (int j = 0; j < D; ++j) d.table(batch.contexts[i / T][i % T], j) += d.embedded(i, j);
}

Matrix fused_softmax(const Matrix& logits, const std::vector<int>& targets) {
    const int N = logits.rows, K = logits.cols;
    Matrix d_logits(N, K);
    for (int n = 0; n < N; ++n) {
        double largest = logits(n, 0), sum = 0;
        for (int k = 1; k < K; ++k) largest = std::max(largest, logits(n, k));
        for (int k = 0; k < K; ++k) sum += d_logits(n, k) = std::exp(logits(n, k) - largest);
        for (int k = 0; k < K; ++k) d_logits(n, k) = (d_logits(n, k) / sum - (k == targets[n] ? 1 : 0)) / N;
    }
    return d_logits;
}

Matrix fused_norm(const Matrix& d_scaled, const Matrix& normalised, const Matrix& inverse, const Matrix& gain) {
    const int N = d_scaled.rows, H = d_scaled.cols;
    const Matrix sums = column_sums(d_scaled);
    const Matrix along = column_sums(filled(N, H, [&](int n, int j) { return d_scaled(n, j) * normalised(n, j); }));
    return filled(N, H, [&](int n, int j) {
        const double rest = (sums(0, j) + normalised(n, j) * along(0, j)) / N;
        return gain(0, j) * inverse(0, j) * (d_scaled(n, j) - rest);
    });
}
