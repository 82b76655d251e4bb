#pragma once
// A perceptron with one hidden layer, for pictures. N pictures, P pixels, H hidden units, K classes.
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "matrix.hpp"

struct Perceptron {
    Matrix weights1;  // (P, H)
    Matrix bias1;     // (1, H)
    Matrix weights2;  // (H, K)
    Matrix bias2;     // (1, K)
};

// The derivatives of the loss, each in the place of its variable.
using Gradients = Perceptron;

// What the way back needs of the way forwards.
struct Pass {
    Matrix hidden;   // (N, H), tanh of x weights1 + bias1
    Matrix outputs;  // (N, K), hidden weights2 + bias2
};

// Forwards, for the pictures x (N, P).
Pass forward(const Perceptron& f, const Matrix& x);

// The loss: the squared distances of outputs (N, K) to 1 in the column of the label and 0 in all others, summed over the
// classes, averaged over the pictures.
double squared_error(const Matrix& outputs, const std::vector<int>& labels);

// The gradients of the loss. `pass` is what forward gave for f and x.
Gradients backward(const Perceptron& f, const Matrix& x, const Pass& pass, const std::vector<int>& labels);

// One step of gradient descent.
void step(Perceptron& f, const Gradients& d, double rate);

// The class of every picture: the column of its largest output.
std::vector<int> predict(const Perceptron& f, const Matrix& x);

// A perceptron to begin with. The same seed gives the same one.
Perceptron begin(int pixels, int units, int classes, long seed);

// One epoch: every picture once, in steps for `batch` pictures at a time; the last one takes what is left. In which order is
// yours to choose; the same seed gives the same order.
void epoch(Perceptron& f, const Matrix& x, const std::vector<int>& labels, int batch, double rate, long seed);

// How the training is to go. The exercise's own program calls begin, then epoch so many times.
struct Settings {
    int epochs = 0;
    int batch = 0;
    double rate = 0;
};
Settings settings();
