// Normal draws by the polar method, from points of the square.
#include "disc.hpp"

Points draw_points(int count, std::mt19937_64& random) {
    Points points{Matrix(count, 2), std::vector<int>(std::size_t(count), 1)};
    for (int row = 0; row < count; ++row) {
        double square = 0;
        for (int col = 0; col < 2; ++col) {
            points.x(row, col) = double(std::int64_t(random())) / 9223372036854775808.0;
            square += std::pow(points.x(row, col), 2);
        }
        if (std::numbers::pi * square >= 2) points.inside[std::size_t(row)] = 0;
    }
    return points;
}

namespace {

double normal(std::mt19937_64& random) {
    std::uniform_real_distribution<double> draw(-1, 1);
    for (;;) {
        const double a = draw(random), b = draw(random), square = a * a + b * b;
        if (square > 0 && square < 1) return a * std::sqrt(-2 * std::log(square) / square);
    }
}

}  // namespace

Network make_network(const std::vector<int>& sizes, double deviation, std::mt19937_64& random) {
    Network network(sizes, random);
    for (Layer& layer : network.layers)
        for (Matrix* numbers : {&layer.bias, &layer.weight})
            for (double& number : numbers->numbers) number = deviation * normal(random);
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
