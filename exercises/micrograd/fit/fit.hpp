#pragma once
// Training without a library: you write all of it but `network`.
#include <vector>

#include "matrix.hpp"
#include "finished_value.hpp"

// What a neuron does with its weighted sum: tanh.
Value activate(const Value& sum);

// A network of 3 inputs and layers of 4, 4 and 1 neurons, finished; it calls your activate. The 41 parameters stand
// layer after layer, neuron after neuron, the weights before the bias.
Value network(const std::vector<Value>& parameters, const std::vector<double>& x);

// The sum over all samples of (output - target) squared.
Value loss(const std::vector<Value>& outputs, const std::vector<double>& targets);

// Every parameter forgets its gradient.
void zero_grad(const std::vector<Value>& parameters);

// Every parameter goes a step against its gradient: `rate` times the gradient.
void update(const std::vector<Value>& parameters, double rate);

// Gradient descent: so many steps from `start`, each with all points, (samples, 3), and their targets. Gives the
// parameters after the last step.
std::vector<double> fit(const std::vector<double>& start, const Matrix& points, const std::vector<double>& targets,
                        double rate, int steps);
