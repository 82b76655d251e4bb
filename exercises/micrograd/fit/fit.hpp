#pragma once
// Training without a library: you write everything but `network`.
#include <vector>

#include "matrix.hpp"
#include "finished_value.hpp"

// The activation that a neuron applies to its weighted sum: tanh.
Value activate(const Value& sum);

// A finished network of 3 inputs and layers of 4, 4 and 1 neurons; it calls your activate. The order of the 41 parameters
// is layer after layer, neuron after neuron, the weights before the bias.
Value network(const std::vector<Value>& parameters, const std::vector<double>& x);

// The sum over all samples of (output - target) squared.
Value loss(const std::vector<Value>& outputs, const std::vector<double>& targets);

// Sets the gradient of every parameter to 0.
void zero_grad(const std::vector<Value>& parameters);

// Moves every parameter a step against its gradient: `rate` times the gradient.
void update(const std::vector<Value>& parameters, double rate);

// Gradient descent: `steps` steps from `start`, each with all points, (samples, 3), and their targets. Returns the
// parameters after the last step.
std::vector<double> fit(const std::vector<double>& start, const Matrix& points, const std::vector<double>& targets,
                        double rate, int steps);
