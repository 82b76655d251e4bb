#pragma once
// A perceptron with one hidden layer, for images. N images, P pixels, H hidden units, K classes.
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

// The derivatives of the loss, each in the field of its variable.
using Gradients = Perceptron;

// The results of the forward pass that the backward pass needs.
struct Pass {
    Matrix hidden;   // (N, H), tanh of x weights1 + bias1
    Matrix outputs;  // (N, K), hidden weights2 + bias2
};

// The forward pass for the images x (N, P).
Pass forward(const Perceptron& f, const Matrix& x);

// The loss: the squared distances of outputs (N, K) to 1 in the column of the label and 0 in all others, summed over the
// classes, averaged over the images.
double squared_error(const Matrix& outputs, const std::vector<int>& labels);

// The gradients of the loss. `pass` is the result of forward for f and x.
Gradients backward(const Perceptron& f, const Matrix& x, const Pass& pass, const std::vector<int>& labels);

// One step of gradient descent.
void step(Perceptron& f, const Gradients& d, double rate);

// The class of every image: the column of its largest output.
std::vector<int> predict(const Perceptron& f, const Matrix& x);

// A random perceptron to start from. The same seed gives the same perceptron.
Perceptron begin(int pixels, int units, int classes, long seed);

// One epoch: every image once, in steps of `batch` images; the last step takes the images that are left. The order of the
// images is yours to choose; the same seed gives the same order.
void epoch(Perceptron& f, const Matrix& x, const std::vector<int>& labels, int batch, double rate, long seed);

// The settings of the training. The exercise's own program calls begin once, then epoch `epochs` times.
struct Settings {
    int epochs = 0;
    int batch = 0;
    double rate = 0;
};
Settings settings();
