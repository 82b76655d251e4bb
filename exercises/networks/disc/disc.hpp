#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "dense_network.hpp"
#include "matrix.hpp"

using Network = DenseNetwork;

// Points of the square, (points, 2), and for each of them 1 inside the disc and 0 outside.
struct Points {
    Matrix x;
    std::vector<int> inside;
};

// Draws points, each equally likely everywhere in the square from -1 to 1 in both directions. The disc lies around 0,
// and its radius is the square root of 2 / pi, so that it has half the area of the square.
Points draw_points(int count, std::mt19937_64& random);

// A network of these sizes whose weights and biases are all normal with mean 0 and this standard deviation.
Network make_network(const std::vector<int>& sizes, double deviation, std::mt19937_64& random);

// A step of gradient descent: every weight and bias loses `rate` times its gradient. Afterwards all gradients are 0.
void step(Network& network, double rate);

// What Adam remembers of a list of weights. It is empty before the first step.
struct Memory {
    std::vector<double> mean, square;  // the averages of the gradients, and of their squares
    int steps = 0;                     // taken so far
};

// A step of Adam for a list of weights, with these gradients.
void adam_step(std::vector<double>& weights, const std::vector<double>& gradients, Memory& memory, double rate);

// All points once, in a random order, `batch` at a time, the last ones in a smaller batch if any are left; after each
// batch one step() on the mean cross-entropy of its points. The network has two outputs: the scores of outside (0)
// and of inside (1).
void epoch(Network& network, const Points& points, int batch, double rate, std::mt19937_64& random);
