// Adds up the derivatives of a batch point by point.
#include "disc.hpp"

Points draw_points(int count, std::mt19937_64& random) {
    std::uniform_real_distribution<double> draw(-1, 1);
    Points points{Matrix(count, 2), {}};
    for (double& number : points.x.numbers) number = draw(random);
    for (int row = 0; row < count; ++row) {
        const double a = points.x(row, 0), b = points.x(row, 1);
        points.inside.push_back(a * a + b * b < 2 / std::numbers::pi ? 1 : 0);
    }
    return points;
}

Network make_network(const std::vector<int>& sizes, double deviation, std::mt19937_64& random) {
    Network network(sizes, random);
    std::normal_distribution<double> draw(0, deviation);
    for (Layer& layer : network.layers) {
        for (double& number : layer.weight.numbers) number = draw(random);
        for (double& number : layer.bias.numbers) number = draw(random);
    }
    return network;
}

void step(Network& network, double rate) {
    for (Layer& layer : network.layers) {
        for (std::size_t i = 0; i < layer.weight.numbers.size(); ++i)
            layer.weight.numbers[i] -= rate * layer.weight_gradient.numbers[i];
        for (std::size_t i = 0; i < layer.bias.numbers.size(); ++i)
            layer.bias.numbers[i] -= rate * layer.bias_gradient.numbers[i];
    }
    network.zero_gradients();
}

void adam_step(std::vector<double>& weights, const std::vector<double>& gradients, Memory& memory, double rate) {
    memory.mean.resize(weights.size());
    memory.square.resize(weights.size());
    ++memory.steps;
    const double first = 1 - std::pow(0.9, memory.steps), second = 1 - std::pow(0.999, memory.steps);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double gradient = gradients[i];
        memory.mean[i] = 0.9 * memory.mean[i] + 0.1 * gradient;
        memory.square[i] = 0.999 * memory.square[i] + 0.001 * gradient * gradient;
        weights[i] -= rate * (memory.mean[i] / first) / (std::sqrt(memory.square[i] / second) + 1e-8);
    }
}

void epoch(Network& network, const Points& points, int batch, double rate, std::mt19937_64& random) {
    std::vector<int> left(points.inside.size());
    std::iota(left.rbegin(), left.rend(), 0);
    std::shuffle(left.begin(), left.end(), random);
    while (!left.empty()) {
        const int size = std::min(batch, int(left.size()));
        for (int n = 0; n < size; ++n) {
            const int at = left.back();
            left.pop_back();
            Matrix y = network.forward({{points.x(at, 0), points.x(at, 1)}});
            const double in = (1 + std::tanh((y(0, 1) - y(0, 0)) / 2)) / 2;
            const double gap = (in - points.inside[std::size_t(at)]) / size;
            network.backward({{-gap, gap}});
        }
        step(network, rate);
    }
}
