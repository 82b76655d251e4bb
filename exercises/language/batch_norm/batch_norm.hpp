#pragma once
#include <stdexcept>

#include "matrix.hpp"

// Added to the variance under the root.
constexpr double epsilon = 1e-5;

// What a layer keeps, each (1, hidden): a number for every hidden unit.
struct BatchNorm {
    Matrix gain, bias;                 // learned
    Matrix running_mean, running_std;  // followed, for evaluation
};

// Gain 1, bias 0, running mean 0, running deviation 1.
BatchNorm make_batch_norm(int hidden);

// In training: x is (batch, hidden), so is the result. For each unit take the mean m and the variance v over the batch,
// both divided by the batch; with s = sqrt(v + epsilon) the result is gain (x - m) / s + bias. Then each running number
// moves to its new value by the share `momentum`: running = (1 - momentum) running + momentum m, and the same with s.
// Throws std::invalid_argument unless all four buffers are (1, hidden).
Matrix normalise_training(BatchNorm& norm, const Matrix& x, double momentum);

// In evaluation: the running numbers take the place of m and s, and nothing is changed. Throws as well.
Matrix normalise_evaluation(const BatchNorm& norm, const Matrix& x);

// The derivatives of a loss along everything that the result of normalise_training depends on.
struct Gradients {
    Matrix dx;            // (batch, hidden)
    Matrix dgain, dbias;  // (1, hidden)
};

// dy is the derivative along the result, (batch, hidden).
Gradients backward(const BatchNorm& norm, const Matrix& x, const Matrix& dy);

// The share of the numbers for which tanh lies beyond 0.97 on either side; 0 of no numbers.
double saturation(const Matrix& x);
