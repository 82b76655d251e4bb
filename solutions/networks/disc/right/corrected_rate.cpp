// Adam with the corrections in the rate, and with averages that move by a part of the difference.
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
    if (memory.steps++ == 0) memory.mean = memory.square = std::vector<double>(weights.size());
    const double second = std::sqrt(1 - std::pow(0.999, memory.steps));
    const double scaled = rate * second / (1 - std::pow(0.9, memory.steps));
    for (std::size_t i = 0; i < weights.size(); ++i) {
        memory.mean[i] += (gradients[i] - memory.mean[i]) * (1 - 0.9);
        memory.square[i] += (gradients[i] * gradients[i] - memory.square[i]) * (1 - 0.999);
        weights[i] -= scaled * memory.mean[i] / (std::sqrt(memory.square[i]) + 1e-8 * second);
    }
}

void epoch(Network& network, const Points& points, int batch, double rate, std::mt19937_64& random) {
    std::vector<int> order(points.inside.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (int first = 0; first < points.x.rows; first += batch) {
        const int size = std::min(batch, points.x.rows - first);
        Matrix x(size, 2);
        for (int row = 0; row < size; ++row)
            for (int col = 0; col < 2; ++col) x(row, col) = points.x(order[std::size_t(first + row)], col);
        Matrix y = network.forward(x);
        for (int row = 0; row < size; ++row) {
            const double in = 1 / (1 + std::exp(y(row, 0) - y(row, 1)));  // the probability of inside
            y(row, 1) = (in - points.inside[std::size_t(order[std::size_t(first + row)])]) / size;
            y(row, 0) = -y(row, 1);
        }
        network.backward(y);
        step(network, rate);
    }
}
