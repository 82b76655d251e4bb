#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "adam_network.hpp"
#include "matrix.hpp"

using Numbers = std::vector<double>;

// A noise schedule with the steps 1 to T. Element t of each list belongs to step t, element 0 to the data.
struct Schedule {
    Numbers beta;  // the variances of the noise; beta[0] is 0
    Numbers left;  // the product of 1 - beta over the steps up to it; left[0] is 1
    int steps() const { return int(beta.size()) - 1; }
};

// The inputs of a network, (numbers, 2): each number, and the share t / T of the steps.
inline Matrix inputs(const Numbers& x, const std::vector<int>& t, const Schedule& schedule) {
    Matrix both(int(x.size()), 2);
    for (std::size_t i = 0; i < x.size(); ++i) {
        both.numbers[2 * i] = x[i];
        both.numbers[2 * i + 1] = double(t.at(i)) / schedule.steps();
    }
    return both;
}

// What one step of training sees: numbers of the data, and for each of them a step and a draw of noise.
struct Batch {
    Numbers x0;
    std::vector<int> t;
    Numbers noise;
};

// Draws a batch: `size` numbers of the data, any number as likely as any other; steps from 1 to `steps`, all equally
// likely; and standard normal noise. All draws are independent.
Batch draw_batch(const Numbers& data, int steps, int size, std::mt19937_64& random);

// The mean of the squared differences between the noise that the network predicts and the noise of the batch. It adds
// the derivatives of this loss to the gradients of the network.
double noise_loss(Network& network, const Schedule& schedule, const Batch& batch);

// The numbers after t - 1 steps, from the numbers x after t steps, the noise that was predicted in them, and a
// standard normal draw z for each. In step 1 no noise is added.
Numbers step_back(const Numbers& x, int t, const Numbers& predicted, const Numbers& z, const Schedule& schedule);

// The noise in numbers that have all taken t steps, as some model predicts it.
using Predictor = std::function<Numbers(const Numbers& x, int t)>;

// `count` samples: standard normal numbers after T steps, and all steps back.
Numbers sample(const Predictor& predict, const Schedule& schedule, int count, std::mt19937_64& random);

// A network with two inputs and one output that predicts the noise, trained on these data. Its hidden layers, the
// size of a batch, the number of steps and the learning rate are yours to choose.
Network train(const Numbers& data, const Schedule& schedule, std::mt19937_64& random);

namespace kit {
// Shows the progress of a training run, from 0 to 1, and its loss. Calling it is up to you.
void progress(double done, double loss);
}  // namespace kit
