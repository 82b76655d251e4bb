// Sorts the points by random keys, and compares distances by hypot.
#include "disc.hpp"

Points draw_points(int count, std::mt19937_64& random) {
    Points points;
    points.x = Matrix(count, 2);
    const double radius = std::sqrt(2 / std::numbers::pi);
    for (int row = 0; row < count; ++row) {
        for (int col : {1, 0}) points.x(row, col) = 2 * std::generate_canonical<double, 53>(random) - 1;
        points.inside.push_back(std::hypot(points.x(row, 0), points.x(row, 1)) < radius);
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
    std::vector<std::pair<double, int>> order;
    for (int row = 0; row < points.x.rows; ++row)
        order.emplace_back(std::uniform_real_distribution<double>()(random), row);
    std::sort(order.begin(), order.end());
    for (auto at = order.begin(); at != order.end();) {
        const auto end = order.end() - at > batch ? at + batch : order.end();
        Matrix x(int(end - at), 2);
        std::vector<int> labels;
        for (int row = 0; at != end; ++at, ++row) {
            x(row, 0) = points.x(at->second, 0);
            x(row, 1) = points.x(at->second, 1);
            labels.push_back(points.inside[std::size_t(at->second)]);
        }
        Matrix dy = network.forward(x);
        for (int row = 0; row < dy.rows; ++row) {
            const double a = std::exp(dy(row, 0)), b = std::exp(dy(row, 1));
            dy(row, 0) = (a / (a + b) - (labels[std::size_t(row)] == 0)) / dy.rows;
            dy(row, 1) = (b / (a + b) - (labels[std::size_t(row)] == 1)) / dy.rows;
        }
        network.backward(dy);
        step(network, rate);
    }
}
