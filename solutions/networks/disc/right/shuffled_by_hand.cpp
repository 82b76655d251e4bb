// Exchanges points by the method of Fisher and Yates, in a copy of them.
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
    Points own = points;
    for (int last = own.x.rows - 1; last > 0; --last) {
        const int other = std::uniform_int_distribution<int>(0, last)(random);
        std::swap(own.x(last, 0), own.x(other, 0));
        std::swap(own.x(last, 1), own.x(other, 1));
        std::swap(own.inside[std::size_t(last)], own.inside[std::size_t(other)]);
    }
    for (int first = 0, size = 0; first < own.x.rows; first += size) {
        size = std::min(batch, own.x.rows - first);
        Matrix x(size, 2);
        std::copy_n(own.x.numbers.begin() + 2 * first, 2 * size, x.numbers.begin());
        const Matrix y = network.forward(x);
        Matrix dy(size, 2);
        for (int row = 0; row < size; ++row) {
            const int sign = own.inside[std::size_t(first + row)] ? 1 : -1;
            const double margin = sign * (y(row, 1) - y(row, 0));
            const double gradient = -sign / (1 + std::exp(margin)) / size;  // of log(1 + exp(-margin))
            dy(row, 1) = gradient, dy(row, 0) = -gradient;
        }
        network.backward(dy);
        step(network, rate);
    }
}
