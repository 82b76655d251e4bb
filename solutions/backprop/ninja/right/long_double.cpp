// Everything in long double, with plain loops over indices and no helper of network.hpp.
#include "ninja.hpp"

#include <cmath>
#include <functional>

using Wide = long double;

namespace {

Matrix by_sum(int rows, int cols, int count, const std::function<Wide(int, int, int)>& term) {
    Matrix result(rows, cols);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) {
            Wide sum = 0;
            for (int k = count - 1; k >= 0; --k) sum += term(i, j, k);
            result(i, j) = double(sum);
        }
    return result;
}

Matrix matmul(const Matrix& a, const Matrix& b, bool flip_a, bool flip_b) {
    return by_sum(
        flip_a ? a.cols : a.rows, flip_b ? b.rows : b.cols, flip_a ? a.rows : a.cols,
        [&](int i, int j, int k) { return Wide(flip_a ? a(k, i) : a(i, k)) * Wide(flip_b ? b(j, k) : b(k, j)); });
}

}  // namespace

void through_loss(const Model&, const Batch& batch, const Pass& p, Gradients& d) {
    d.logs = by_sum(p.logs.rows, p.logs.cols, 1,
                    [&](int n, int k, int) { return k == batch.targets[n] ? -1.0L / p.logs.rows : 0; });
    d.probabilities = by_sum(p.logs.rows, p.logs.cols, 1,
                             [&](int n, int k, int) { return d.logs(n, k) / std::exp(Wide(p.logs(n, k))); });
}

void through_division(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.powers.rows, K = p.powers.cols;
    d.inverse_sum = by_sum(N, 1, K, [&](int n, int, int k) { return Wide(d.probabilities(n, k)) * p.powers(n, k); });
    d.sum = by_sum(N, 1, 1, [&](int n, int, int) { return -Wide(d.inverse_sum(n, 0)) / p.sum(n, 0) / p.sum(n, 0); });
    d.powers = by_sum(N, K, 1,
                      [&](int n, int k, int) { return Wide(d.sum(n, 0)) + Wide(d.probabilities(n, k)) / p.sum(n, 0); });
}

void through_exponential(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.powers.rows, K = p.powers.cols;
    d.lowered = by_sum(
        N, K, 1, [&](int n, int k, int) { return d.powers(n, k) * std::exp(Wide(p.logits(n, k)) - p.largest(n, 0)); });
    d.largest = by_sum(N, 1, K, [&](int n, int, int k) { return -Wide(d.lowered(n, k)); });
    d.logits = by_sum(N, K, 1, [&](int n, int k, int) {
        return Wide(d.lowered(n, k)) + (p.logits(n, k) == p.largest(n, 0) ? Wide(d.largest(n, 0)) : 0);
    });
}

void through_output(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    d.hidden = matmul(d.logits, m.weights2, false, true);
    d.weights2 = matmul(p.hidden, d.logits, true, false);
    d.bias2 = by_sum(1, d.logits.cols, d.logits.rows, [&](int, int j, int n) { return d.logits(n, j); });
}

void through_tanh(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.hidden.rows, H = p.hidden.cols;
    d.scaled = by_sum(N, H, 1, [&](int n, int j, int) {
        const Wide c = std::cosh(Wide(p.scaled(n, j)));
        return d.hidden(n, j) / (c * c);
    });
    d.gain = by_sum(1, H, N, [&](int, int j, int n) { return Wide(d.scaled(n, j)) * p.normalised(n, j); });
    d.offset = by_sum(1, H, N, [&](int, int j, int n) { return d.scaled(n, j); });
    d.normalised = by_sum(N, H, 1, [&](int n, int j, int) { return Wide(m.gain(0, j)) * d.scaled(n, j); });
}

void through_deviation(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.centred.rows, H = p.centred.cols;
    d.inverse = by_sum(1, H, N, [&](int, int j, int n) { return Wide(d.normalised(n, j)) * p.centred(n, j); });
    d.variance = by_sum(1, H, 1, [&](int, int j, int) {
        return d.inverse(0, j) / (-2 * std::pow(Wide(p.variance(0, j)) + Wide(epsilon), 1.5L));
    });
    d.squared = by_sum(N, H, 1, [&](int, int j, int) { return Wide(d.variance(0, j)) / N; });
    d.centred = by_sum(N, H, 2, [&](int n, int j, int way) {
        return way ? Wide(d.normalised(n, j)) / std::sqrt(Wide(p.variance(0, j)) + Wide(epsilon))
                   : Wide(p.centred(n, j)) * d.squared(n, j) + Wide(p.centred(n, j)) * d.squared(n, j);
    });
}

void through_mean(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.linear.rows, H = p.linear.cols;
    d.mean = by_sum(1, H, N, [&](int, int j, int n) { return -d.centred(n, j); });
    d.linear =
        by_sum(N, H, N, [&](int n, int j, int k) { return (k == n ? 1.0L - 1.0L / N : -1.0L / N) * d.centred(k, j); });
}

void through_input(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    d.joined = matmul(d.linear, m.weights1, false, true);
    d.weights1 = matmul(p.joined, d.linear, true, false);
    d.bias1 = by_sum(1, d.linear.cols, d.linear.rows, [&](int, int j, int n) { return d.linear(n, j); });
}

void through_table(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    const int T = int(batch.contexts[0].size());
    d.embedded = d.joined;  // the same numbers in the same order, cut into rows otherwise
    d.embedded.rows = p.embedded.rows;
    d.embedded.cols = p.embedded.cols;
    d.table = by_sum(m.table.rows, m.table.cols, p.embedded.rows, [&](int letter, int j, int i) {
        return batch.contexts[i / T][i % T] == letter ? d.embedded(i, j) : 0.0;
    });
}

Matrix fused_softmax(const Matrix& logits, const std::vector<int>& targets) {
    return by_sum(logits.rows, logits.cols, 1, [&](int n, int k, int) {
        Wide sum = 0;
        for (int j = 0; j < logits.cols; ++j) sum += std::exp(Wide(logits(n, j)) - Wide(logits(n, k)));
        return (1 / sum - (k == targets[n])) / logits.rows;
    });
}

Matrix fused_norm(const Matrix& d_scaled, const Matrix& normalised, const Matrix& inverse, const Matrix& gain) {
    const int N = d_scaled.rows;
    return by_sum(N, d_scaled.cols, N, [&](int n, int j, int k) {  // the rows of the Jacobian, one by one
        const Wide slope = (k == n) - (1 + Wide(normalised(n, j)) * normalised(k, j)) / N;
        return slope * gain(0, j) * inverse(0, j) * d_scaled(k, j);
    });
}
