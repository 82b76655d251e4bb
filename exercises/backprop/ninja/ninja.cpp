#include "ninja.hpp"

#include <cmath>

#include "not_written.hpp"

// Write one function after the other, and delete its call of not_written. Give every gradient its shape first, for example
// d.logs = Matrix(p.logs.rows, p.logs.cols); all numbers of a new Matrix are zero.

void through_loss(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    // d.logs, then d.probabilities
    not_written("through_loss");
}

void through_division(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    // d.inverse_sum, then d.sum, then d.powers
    not_written("through_division");
}

void through_exponential(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    // d.lowered, then d.largest, then d.logits
    not_written("through_exponential");
}

void through_output(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    // d.hidden, d.weights2, d.bias2
    not_written("through_output");
}

void through_tanh(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    // d.scaled, then d.gain, d.offset, d.normalised
    not_written("through_tanh");
}

void through_deviation(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    // d.inverse, then d.variance, then d.squared, then d.centred
    not_written("through_deviation");
}

void through_mean(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    // d.mean, then d.linear
    not_written("through_mean");
}

void through_input(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    // d.joined, d.weights1, d.bias1
    not_written("through_input");
}

void through_table(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    // d.embedded, then d.table
    not_written("through_table");
}

Matrix fused_softmax(const Matrix& logits, const std::vector<int>& targets) { not_written("fused_softmax"); }

Matrix fused_norm(const Matrix& d_scaled, const Matrix& normalised, const Matrix& inverse, const Matrix& gain) {
    not_written("fused_norm");
}
