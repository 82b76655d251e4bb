#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "adam_network.hpp"
#include "matrix.hpp"

using Numbers = std::vector<double>;

// A noise schedule with the steps 1 to T.
struct Schedule {
    Numbers left;  // for each step the share of the data's variance that is left; left[0] is 1
    int steps() const { return int(left.size()) - 1; }
};

// Features of the time, a row for each step t: sines and cosines in turn, sin(k angle), cos(k angle), for
// k = 1, 2, ..., width / 2, where the angle is half of pi times t / steps. The width is even.
Matrix time_features(const std::vector<int>& t, int steps, int width);

// The inputs of a network, (points, inputs_of_a_point): both coordinates of each point, and the features of its step.
inline constexpr int width_of_the_time = 8, inputs_of_a_point = 2 + width_of_the_time;
inline Matrix inputs(const Matrix& x, const std::vector<int>& t, const Schedule& schedule) {
    const Matrix time = time_features(t, schedule.steps(), width_of_the_time);
    Matrix all(x.rows, inputs_of_a_point);
    for (int row = 0; row < x.rows; ++row)
        for (int col = 0; col < all.cols; ++col) all(row, col) = col < 2 ? x(row, col) : time(row, col - 2);
    return all;
}

// What one step of training sees: points of the data, (points, 2), and for each of them a step and a draw of noise.
struct Batch {
    Matrix x0;
    std::vector<int> t;
    Matrix noise;
};

// The mean, over all coordinates of all points, of the squared differences between the noise that the network predicts
// and the noise of the batch. It adds the derivatives of this loss to the gradients of the network.
double noise_loss(Network& network, const Schedule& schedule, const Batch& batch);

// The points after `to` steps, from the points x after `from` steps, the noise that was predicted in them, and
// standard normal draws z of the same shape. `to` is any step below `from`; 0 is the data.
Matrix step_to(const Matrix& x, int from, int to, const Matrix& predicted, const Matrix& z, const Schedule& schedule);

// The noise in points that have all taken t steps, as some model predicts it.
using Predictor = std::function<Matrix(const Matrix& x, int t)>;

// `count` samples, (count, 2): standard normal points after T steps, and from there to the data in `calls` jumps.
Matrix sample(const Predictor& predict, const Schedule& schedule, int calls, int count, std::mt19937_64& random);

// The sliced Wasserstein distance of two clouds with equally many points, over the directions with these angles.
double sliced_wasserstein(const Matrix& a, const Matrix& b, const Numbers& angles);

// A network with inputs_of_a_point inputs and 2 outputs that predicts the noise, trained on these points. Its hidden
// layers, the size of a batch, the number of steps and the learning rate are yours to choose.
Network train(const Matrix& data, const Schedule& schedule, std::mt19937_64& random);

namespace kit {
// Shows the progress of a training run, from 0 to 1, and its loss. Calling it is up to you.
void progress(double done, double loss);
}  // namespace kit
