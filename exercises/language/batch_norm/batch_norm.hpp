#pragma once
#include <stdexcept>

#include "matrix.hpp"

// Added to the variance under the root.
constexpr double epsilon = 1e-5;

// The four buffers of a layer, each (1, hidden): one number for every hidden unit.
struct BatchNorm {
    Matrix gain, bias;                 // learned
    Matrix running_mean, running_std;  // moving averages, for evaluation
};

// Gain 1, bias 0, running mean 0, running deviation 1.
BatchNorm make_batch_norm(int hidden);

// In training: x and the result are (batch, hidden). For each unit take the mean m and the variance v over the batch,
// both divided by the batch size; with s = sqrt(v + epsilon) the result is gain (x - m) / s + bias. Then each running
// number is updated with `momentum`: running = (1 - momentum) running + momentum m, and the same with s.
// Throws std::invalid_argument unless all four buffers are (1, hidden).
Matrix normalise_training(BatchNorm& norm, const Matrix& x, double momentum);

// In evaluation: the running numbers take the place of m and s; the buffers stay unchanged. It throws as well.
Matrix normalise_evaluation(const BatchNorm& norm, const Matrix& x);

// The derivatives of a loss with respect to all inputs of normalise_training.
struct Gradients {
    Matrix dx;            // (batch, hidden)
    Matrix dgain, dbias;  // (1, hidden)
};

// dy is the derivative with respect to the result, (batch, hidden).
Gradients backward(const BatchNorm& norm, const Matrix& x, const Matrix& dy);

// The share of the numbers whose tanh is above 0.97 or below -0.97; 0 if x is empty.
double saturation(const Matrix& x);
