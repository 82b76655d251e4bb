// Flat vectors and iterators instead of indices; sums are scattered, not gathered; d is filled in another order.
#include "ninja.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

using std::size_t;

void through_loss(const Model&, const Batch& batch, const Pass& p, Gradients& d) {
    d.logs = d.probabilities = Matrix(p.logs.rows, p.logs.cols);
    for (size_t n = batch.targets.size(); n-- > 0;) {
        const size_t at = n * size_t(p.logs.cols) + size_t(batch.targets[n]);
        d.logs.numbers[at] = -1.0 / double(batch.targets.size());
        d.probabilities.numbers[at] = d.logs.numbers[at] / p.probabilities.numbers[at];
    }
}

void through_division(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int K = p.powers.cols;
    d.sum = d.inverse_sum = Matrix(p.powers.rows, 1);
    d.powers = d.probabilities;
    for (int n = 0; n < p.powers.rows; ++n) {
        const auto row = d.powers.numbers.begin() + n * K;
        d.inverse_sum(n, 0) = std::inner_product(row, row + K, p.powers.numbers.begin() + n * K, 0.0);
        d.sum(n, 0) = -d.inverse_sum(n, 0) * std::pow(p.inverse_sum(n, 0), 2);
        std::transform(row, row + K, row, [&](double g) { return g / p.sum(n, 0) + d.sum(n, 0); });
    }
}

void through_exponential(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int K = p.powers.cols;
    d.lowered = d.powers;
    std::transform(p.powers.numbers.begin(), p.powers.numbers.end(), d.lowered.numbers.begin(),
                   d.lowered.numbers.begin(), std::multiplies<>());
    d.logits = d.lowered;
    d.largest = Matrix(p.powers.rows, 1);
    for (int n = 0; n < p.powers.rows; ++n) {
        const auto row = p.logits.numbers.begin() + n * K;
        const auto best = std::max_element(row, row + K);
        const auto back = d.lowered.numbers.begin() + n * K;
        d.largest(n, 0) = -std::accumulate(back, back + K, 0.0);
        d.logits(n, int(best - row)) += d.largest(n, 0);
    }
}

// The way back through y = x w + b, one product at a time.
static void back(const Matrix& x, const Matrix& w, const Matrix& dy, Matrix& dx, Matrix& dw, Matrix& db) {
    dx = Matrix(x.rows, x.cols);
    dw = Matrix(w.rows, w.cols);
    db = Matrix(1, w.cols);
    for (int j = 0; j < w.cols; ++j)
        for (int k = 0; k < w.rows; ++k)
            for (int n = 0; n < x.rows; ++n) {
                dx(n, k) += dy(n, j) * w(k, j);
                dw(k, j) += dy(n, j) * x(n, k);
                if (k == 0) db(0, j) += dy(n, j);
            }
}

void through_output(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    back(p.hidden, m.weights2, d.logits, d.hidden, d.weights2, d.bias2);
}

void through_tanh(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    d.scaled = d.normalised = d.hidden;
    d.gain = d.offset = Matrix(1, p.hidden.cols);
    const size_t H = size_t(p.hidden.cols);
    for (size_t i = 0; i < d.hidden.numbers.size(); ++i) {
        const double h = p.hidden.numbers[i], g = d.hidden.numbers[i] * (1 - h) * (1 + h);
        d.scaled.numbers[i] = g;
        d.offset.numbers[i % H] += g;
        d.gain.numbers[i % H] += g * p.normalised.numbers[i];
        d.normalised.numbers[i] = g * m.gain.numbers[i % H];
    }
}

void through_deviation(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.centred.rows, H = p.centred.cols;
    d.inverse = d.variance = Matrix(1, H);
    d.squared = d.centred = Matrix(N, H);
    for (int j = 0; j < H; ++j) {
        for (int n = 0; n < N; ++n) d.inverse(0, j) += d.normalised(n, j) * p.centred(n, j);
        d.variance(0, j) = d.inverse(0, j) * p.inverse(0, j) * p.inverse(0, j) * p.inverse(0, j) / -2;
        for (int n = 0; n < N; ++n) {
            d.squared(n, j) = d.variance(0, j) / N;
            d.centred(n, j) = d.squared(n, j) * p.centred(n, j) * 2;
            d.centred(n, j) += p.inverse(0, j) * d.normalised(n, j);
        }
    }
}

void through_mean(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.linear.rows;
    d.linear = d.centred;
    d.mean = Matrix(1, p.linear.cols);
    for (int j = 0; j < p.linear.cols; ++j) {
        for (int n = 0; n < N; ++n) d.mean(0, j) -= d.centred(n, j);
        for (int n = 0; n < N; ++n) d.linear(n, j) += d.mean(0, j) / N;
    }
}

void through_input(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    back(p.joined, m.weights1, d.linear, d.joined, d.weights1, d.bias1);
}

void through_table(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    d.table = Matrix(m.table.rows, m.table.cols);
    d.embedded = Matrix(p.embedded.rows, p.embedded.cols);
    auto from = d.joined.numbers.begin();
    int row = 0;
    for (const auto& context : batch.contexts)
        for (const int letter : context) {
            for (int j = 0; j < m.table.cols; ++j, ++from) {
                d.embedded(row, j) = *from;
                d.table(letter, j) += *from;
            }
            ++row;
        }
}

Matrix fused_softmax(const Matrix& logits, const std::vector<int>& targets) {
    Matrix d = logits;
    for (int n = 0; n < d.rows; ++n) {
        const auto row = d.numbers.begin() + n * d.cols, end = row + d.cols;
        const double largest = *std::max_element(row, end);
        double sum = 0;
        for (auto at = row; at != end; ++at) sum += std::exp(*at - largest);
        const double whole = largest + std::log(sum);
        for (auto at = row; at != end; ++at) *at = std::exp(*at - whole) / d.rows;
        row[targets[n]] -= 1.0 / d.rows;
    }
    return d;
}

Matrix fused_norm(const Matrix& d_scaled, const Matrix& normalised, const Matrix& inverse, const Matrix& gain) {
    Matrix d(d_scaled.rows, d_scaled.cols);
    for (int j = 0; j < d.cols; ++j) {
        double mean = 0, along = 0;
        for (int n = 0; n < d.rows; ++n) mean += d_scaled(n, j) / d.rows;
        for (int n = 0; n < d.rows; ++n) along += (d_scaled(n, j) - mean) * normalised(n, j) / d.rows;
        for (int n = 0; n < d.rows; ++n)
            d(n, j) = gain(0, j) * inverse(0, j) * (d_scaled(n, j) - mean - along * normalised(n, j));
    }
    return d;
}
