#pragma once
// The backward pass: d.x is the derivative of the loss with respect to x, and has the shape of x.
#include <vector>

#include "matrix.hpp"
#include "network.hpp"

// One gradient for every matrix of the Model and of the Pass. A gradient is empty (0 x 0) until you fill it.
struct Gradients {
    Matrix table, weights1, bias1, gain, offset, weights2, bias2;
    Matrix embedded, joined, linear, mean, centred, squared, variance, inverse, normalised, scaled, hidden;
    Matrix logits, largest, lowered, powers, sum, inverse_sum, probabilities, logs;
};

// Nine functions go back through the network, one after the other. Each finds one finished gradient in d and fills the
// next ones, in the order in which they are listed here. Each must be right for every incoming gradient: the judge calls
// each function alone, with gradients of its own.

// Fills d.logs and d.probabilities. (The derivative of the loss with respect to itself is 1.)
void through_loss(const Model& m, const Batch& batch, const Pass& p, Gradients& d);

// From d.probabilities: d.inverse_sum, d.sum, d.powers.
void through_division(const Model& m, const Batch& batch, const Pass& p, Gradients& d);

// From d.powers: d.lowered, d.largest, d.logits. (No two logits of a sample are equal.)
void through_exponential(const Model& m, const Batch& batch, const Pass& p, Gradients& d);

// From d.logits: d.hidden, d.weights2, d.bias2.
void through_output(const Model& m, const Batch& batch, const Pass& p, Gradients& d);

// From d.hidden: d.scaled, d.gain, d.offset, d.normalised.
void through_tanh(const Model& m, const Batch& batch, const Pass& p, Gradients& d);

// From d.normalised: d.inverse, d.variance, d.squared, d.centred.
void through_deviation(const Model& m, const Batch& batch, const Pass& p, Gradients& d);

// From d.centred: d.mean, d.linear.
void through_mean(const Model& m, const Batch& batch, const Pass& p, Gradients& d);

// From d.linear: d.joined, d.weights1, d.bias1.
void through_input(const Model& m, const Batch& batch, const Pass& p, Gradients& d);

// From d.joined: d.embedded, d.table.
void through_table(const Model& m, const Batch& batch, const Pass& p, Gradients& d);

// (*) From the logits (N, K) directly to d.logits: softmax, logarithm and mean in one formula.
Matrix fused_softmax(const Matrix& logits, const std::vector<int>& targets);

// (*) From d.scaled directly to d.linear: the whole batch normalisation in one formula. d_scaled and normalised are
// (N, H), inverse and gain (1, H).
Matrix fused_norm(const Matrix& d_scaled, const Matrix& normalised, const Matrix& inverse, const Matrix& gain);
