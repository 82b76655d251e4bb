#pragma once
// A fully connected network that Adam trains: forward and backward as in dense_network.hpp, and adam changes the weights.
#include <cmath>
#include <cstddef>
#include <vector>

#include "dense_network.hpp"

class Network : public DenseNetwork {
public:
    using DenseNetwork::DenseNetwork;

    // A step of Adam with these gradients, which are 0 afterwards.
    void adam(double rate) {
        ++steps_;
        remembered_.resize(layers.size());
        for (std::size_t at = 0; at < layers.size(); ++at) {
            move(layers[at].weight, layers[at].weight_gradient, remembered_[at].weight, rate);
            move(layers[at].bias, layers[at].bias_gradient, remembered_[at].bias, rate);
        }
        zero_gradients();
    }

private:
    // The averages of the gradients, and of their squares.
    struct Averages {
        std::vector<double> mean, square;
    };
    struct LayerAverages {
        Averages weight, bias;
    };

    void move(Matrix& weight, const Matrix& gradient, Averages& averages, double rate) const {
        auto& [mean, square] = averages;
        mean.resize(gradient.numbers.size());
        square.resize(gradient.numbers.size());
        const double first = 1 - std::pow(0.9, steps_), second = 1 - std::pow(0.999, steps_);
        for (std::size_t i = 0; i < gradient.numbers.size(); ++i) {
            mean[i] += 0.1 * (gradient.numbers[i] - mean[i]);
            square[i] += 0.001 * (gradient.numbers[i] * gradient.numbers[i] - square[i]);
            weight.numbers[i] -= rate * (mean[i] / first) / (std::sqrt(square[i] / second) + 1e-8);
        }
    }

    std::vector<LayerAverages> remembered_;
    int steps_ = 0;
};
