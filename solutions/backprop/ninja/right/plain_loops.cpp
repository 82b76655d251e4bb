// Plain loops, and the chain rule number by number: each gradient is filled by scattering what each result hands back.
#include "ninja.hpp"

#include <cmath>

void through_loss(const Model&, const Batch& batch, const Pass& p, Gradients& d) {
    d.logs = Matrix(p.logs.rows, p.logs.cols);
    d.probabilities = Matrix(p.logs.rows, p.logs.cols);
    int n = 0;
    for (const int target : batch.targets) {
        d.logs(n, target) -= 1 / double(batch.targets.size());
        d.probabilities(n, target) += d.logs(n, target) / p.probabilities(n, target);
        ++n;
    }
}

void through_division(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.powers.rows, K = p.powers.cols;
    d.inverse_sum = Matrix(N, 1);
    d.sum = Matrix(N, 1);
    d.powers = Matrix(N, K);
    for (int n = 0; n < N; ++n) {
        for (int k = 0; k < K; ++k) {
            d.inverse_sum(n, 0) += d.probabilities(n, k) * p.powers(n, k);
            d.powers(n, k) += d.probabilities(n, k) * p.inverse_sum(n, 0);
        }
        d.sum(n, 0) -= d.inverse_sum(n, 0) / (p.sum(n, 0) * p.sum(n, 0));
        for (int k = 0; k < K; ++k) d.powers(n, k) += d.sum(n, 0);
    }
}

void through_exponential(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.powers.rows, K = p.powers.cols;
    d.lowered = Matrix(N, K);
    d.largest = Matrix(N, 1);
    d.logits = Matrix(N, K);
    for (int n = 0; n < N; ++n)
        for (int k = 0; k < K; ++k) {
            d.lowered(n, k) = std::exp(p.lowered(n, k)) * d.powers(n, k);
            d.largest(n, 0) -= d.lowered(n, k);
        }
    for (int n = 0; n < N; ++n)
        for (int k = 0; k < K; ++k) d.logits(n, k) = d.lowered(n, k) + (p.lowered(n, k) == 0 ? d.largest(n, 0) : 0);
}

void through_output(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.hidden.rows, H = p.hidden.cols, K = p.logits.cols;
    d.hidden = Matrix(N, H);
    d.weights2 = Matrix(H, K);
    d.bias2 = Matrix(1, K);
    for (int n = 0; n < N; ++n)
        for (int k = 0; k < K; ++k) {
            const double back = d.logits(n, k);
            d.bias2(0, k) += back;
            for (int j = 0; j < H; ++j) {
                d.hidden(n, j) += m.weights2(j, k) * back;
                d.weights2(j, k) += p.hidden(n, j) * back;
            }
        }
}

void through_tanh(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.hidden.rows, H = p.hidden.cols;
    d.scaled = Matrix(N, H);
    d.normalised = Matrix(N, H);
    d.gain = Matrix(1, H);
    d.offset = Matrix(1, H);
    for (int j = 0; j < H; ++j)
        for (int n = 0; n < N; ++n) {
            d.scaled(n, j) = (1 + p.hidden(n, j)) * (1 - p.hidden(n, j)) * d.hidden(n, j);
            d.gain(0, j) += p.normalised(n, j) * d.scaled(n, j);
            d.offset(0, j) += d.scaled(n, j);
            d.normalised(n, j) = m.gain(0, j) * d.scaled(n, j);
        }
}

void through_deviation(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.centred.rows, H = p.centred.cols;
    d.inverse = Matrix(1, H);
    d.variance = Matrix(1, H);
    d.squared = Matrix(N, H);
    d.centred = Matrix(N, H);
    for (int j = 0; j < H; ++j) {
        for (int n = 0; n < N; ++n) d.inverse(0, j) += p.centred(n, j) * d.normalised(n, j);
        const double root = std::sqrt(p.variance(0, j) + epsilon);
        d.variance(0, j) = -d.inverse(0, j) / (2 * root * root * root);
        for (int n = 0; n < N; ++n) {
            d.squared(n, j) = d.variance(0, j) / N;
            d.centred(n, j) += d.normalised(n, j) / root;
            d.centred(n, j) += d.squared(n, j) * p.centred(n, j);  // both factors of the square
            d.centred(n, j) += p.centred(n, j) * d.squared(n, j);
        }
    }
}

void through_mean(const Model&, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.linear.rows, H = p.linear.cols;
    d.mean = Matrix(1, H);
    d.linear = Matrix(N, H);
    for (int n = N - 1; n >= 0; --n)
        for (int j = H - 1; j >= 0; --j) d.mean(0, j) -= d.centred(n, j);
    for (int n = N - 1; n >= 0; --n)
        for (int j = H - 1; j >= 0; --j) d.linear(n, j) = d.mean(0, j) / N + d.centred(n, j);
}

void through_input(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    const int N = p.linear.rows, H = p.linear.cols, I = p.joined.cols;
    d.joined = Matrix(N, I);
    d.weights1 = Matrix(I, H);
    d.bias1 = Matrix(1, H);
    for (int j = 0; j < H; ++j)
        for (int n = 0; n < N; ++n) {
            d.bias1(0, j) += d.linear(n, j);
            for (int i = 0; i < I; ++i) {
                d.joined(n, i) += d.linear(n, j) * m.weights1(i, j);
                d.weights1(i, j) += d.linear(n, j) * p.joined(n, i);
            }
        }
}

void through_table(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    const int D = m.table.cols;
    d.embedded = Matrix(p.embedded.rows, D);
    d.table = Matrix(m.table.rows, D);
    d.embedded.numbers = d.joined.numbers;  // the same numbers in the same order, cut into shorter rows
    int row = 0;
    for (const auto& context : batch.contexts)
        for (const int letter : context) {
            for (int j = 0; j < D; ++j) d.table(letter, j) += d.embedded(row, j);
            ++row;
        }
}

Matrix fused_softmax(const Matrix& logits, const std::vector<int>& targets) {
    Matrix d(logits.rows, logits.cols);
    for (int n = 0; n < d.rows; ++n)
        for (int k = 0; k < d.cols; ++k) {
            double ratio = 0;  // 1 over the probability; infinite where that is 0
            for (int other = 0; other < d.cols; ++other) ratio += std::exp(logits(n, other) - logits(n, k));
            d(n, k) = (1 / ratio - (targets[std::size_t(n)] == k)) / d.rows;
        }
    return d;
}

Matrix fused_norm(const Matrix& d_scaled, const Matrix& normalised, const Matrix& inverse, const Matrix& gain) {
    Matrix d(d_scaled.rows, d_scaled.cols);
    for (int j = 0; j < d.cols; ++j)
        for (int n = 0; n < d.rows; ++n)
            for (int k = 0; k < d.rows; ++k)  // how scaled of sample k moves with linear of sample n
                d(n, j) += d_scaled(k, j) * gain(0, j) * inverse(0, j) *
                           ((n == k) - (1 + normalised(n, j) * normalised(k, j)) / d.rows);
    return d;
}
