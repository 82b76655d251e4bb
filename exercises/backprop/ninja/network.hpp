#pragma once
// The forward pass of the exercise's network, with a name for every step. It is given: read it, and leave it as it is.
//
// N samples, T letters of context, D numbers for a letter, H hidden units, K letters. All values are matrices: one number
// for every column is a matrix with one row, one number for every row is a matrix with one column.
#include <algorithm>
#include <cmath>
#include <vector>

#include "matrix.hpp"

constexpr double epsilon = 1e-5;  // added to the variance

// The parameters.
struct Model {
    Matrix table;     // (K, D), one row for every letter
    Matrix weights1;  // (T D, H)
    Matrix bias1;     // (1, H)
    Matrix gain;      // (1, H)
    Matrix offset;    // (1, H)
    Matrix weights2;  // (H, K)
    Matrix bias2;     // (1, K)
};

// The samples of one step.
struct Batch {
    std::vector<std::vector<int>> contexts;  // N lists of T letters
    std::vector<int> targets;                // N letters that come next
};

// Every intermediate result of the forward pass, in the order of computation.
struct Pass {
    Matrix embedded;       // (N T, D), the row of the table for every letter: that of sample n, place t is row n T + t
    Matrix joined;         // (N, T D), the T rows of a sample one after the other
    Matrix linear;         // (N, H)
    Matrix mean;           // (1, H), over the batch
    Matrix centred;        // (N, H)
    Matrix squared;        // (N, H)
    Matrix variance;       // (1, H), over the batch, divided by N
    Matrix inverse;        // (1, H), 1 / sqrt(variance + epsilon)
    Matrix normalised;     // (N, H)
    Matrix scaled;         // (N, H)
    Matrix hidden;         // (N, H)
    Matrix logits;         // (N, K)
    Matrix largest;        // (N, 1), the largest logit of a sample
    Matrix lowered;        // (N, K)
    Matrix powers;         // (N, K)
    Matrix sum;            // (N, 1)
    Matrix inverse_sum;    // (N, 1)
    Matrix probabilities;  // (N, K)
    Matrix logs;           // (N, K)
    double loss = 0;
};

// The matrix product a b.
inline Matrix product(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.cols);
    for (int i = 0; i < a.rows; ++i)
        for (int k = 0; k < a.cols; ++k)
            for (int j = 0; j < b.cols; ++j) c(i, j) += a(i, k) * b(k, j);
    return c;
}

// The transpose: rows become columns.
inline Matrix transposed(const Matrix& a) {
    Matrix b(a.cols, a.rows);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < a.cols; ++j) b(j, i) = a(i, j);
    return b;
}

// The sum of every column, (1, columns).
inline Matrix column_sums(const Matrix& a) {
    Matrix b(1, a.cols);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < a.cols; ++j) b(0, j) += a(i, j);
    return b;
}

// The sum of every row, (rows, 1).
inline Matrix row_sums(const Matrix& a) {
    Matrix b(a.rows, 1);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < a.cols; ++j) b(i, 0) += a(i, j);
    return b;
}

// A matrix of this size whose element (i, j) is f(i, j).
template <class F>
Matrix filled(int rows, int cols, F f) {
    Matrix a(rows, cols);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) a(i, j) = f(i, j);
    return a;
}

// The forward pass of the network.
inline Pass forward(const Model& m, const Batch& batch) {
    const int N = int(batch.targets.size()), T = int(batch.contexts.at(0).size());
    const int D = m.table.cols, H = m.weights1.cols, K = m.weights2.cols;
    Pass p;
    p.embedded = filled(N * T, D, [&](int i, int j) { return m.table(batch.contexts[i / T][i % T], j); });
    p.joined = filled(N, T * D, [&](int i, int j) { return p.embedded(i * T + j / D, j % D); });
    p.linear = product(p.joined, m.weights1);
    p.linear = filled(N, H, [&](int i, int j) { return p.linear(i, j) + m.bias1(0, j); });

    p.mean = column_sums(p.linear);
    for (double& mean : p.mean.numbers) mean /= N;
    p.centred = filled(N, H, [&](int i, int j) { return p.linear(i, j) - p.mean(0, j); });
    p.squared = filled(N, H, [&](int i, int j) { return p.centred(i, j) * p.centred(i, j); });
    p.variance = column_sums(p.squared);
    for (double& variance : p.variance.numbers) variance /= N;
    p.inverse = filled(1, H, [&](int, int j) { return 1 / std::sqrt(p.variance(0, j) + epsilon); });
    p.normalised = filled(N, H, [&](int i, int j) { return p.centred(i, j) * p.inverse(0, j); });
    p.scaled = filled(N, H, [&](int i, int j) { return m.gain(0, j) * p.normalised(i, j) + m.offset(0, j); });

    p.hidden = filled(N, H, [&](int i, int j) { return std::tanh(p.scaled(i, j)); });
    p.logits = product(p.hidden, m.weights2);
    p.logits = filled(N, K, [&](int i, int j) { return p.logits(i, j) + m.bias2(0, j); });

    p.largest = Matrix(N, 1);
    for (int i = 0; i < N; ++i) {
        p.largest(i, 0) = p.logits(i, 0);
        for (int j = 1; j < K; ++j) p.largest(i, 0) = std::max(p.largest(i, 0), p.logits(i, j));
    }
    p.lowered = filled(N, K, [&](int i, int j) { return p.logits(i, j) - p.largest(i, 0); });
    p.powers = filled(N, K, [&](int i, int j) { return std::exp(p.lowered(i, j)); });
    p.sum = row_sums(p.powers);
    p.inverse_sum = filled(N, 1, [&](int i, int) { return 1 / p.sum(i, 0); });
    p.probabilities = filled(N, K, [&](int i, int j) { return p.powers(i, j) * p.inverse_sum(i, 0); });
    p.logs = filled(N, K, [&](int i, int j) { return std::log(p.probabilities(i, j)); });
    for (int i = 0; i < N; ++i) p.loss -= p.logs(i, batch.targets[i]) / N;
    return p;
}
