// Epochs over a shuffled set, a wide layer, a rate that falls as a cosine, and pairs of opposite noise.
#include <cstdint>

#include "moons.hpp"

namespace {

Matrix normal(int count, std::mt19937_64& random) {
    Matrix found(count, 2);
    for (double& value : found.numbers) value = normal_draw(random);
    return found;
}

// The places of the points along a direction, in order.
Numbers projected(const Matrix& points, double angle) {
    Numbers found;
    for (int row = 0; row < points.rows; ++row)
        found.push_back(std::cos(angle) * points(row, 0) + std::sin(angle) * points(row, 1));
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

Matrix time_features(const std::vector<int>& t, int steps, int width) {
    Matrix found(int(t.size()), width);
    for (int row = 0; row < found.rows; ++row) {
        const double angle = std::numbers::pi / 2 * t[std::size_t(row)] / steps;
        for (int k = 1; k <= width / 2; ++k) {
            found(row, 2 * k - 2) = std::sin(k * angle);
            found(row, 2 * k - 1) = std::cos(k * angle);
        }
    }
    return found;
}

double noise_loss(Network& network, const Schedule& schedule, const Batch& batch) {
    Matrix x = batch.x0;
    for (int row = 0; row < x.rows; ++row) {
        const double a = schedule.left[std::size_t(batch.t[std::size_t(row)])];
        for (int col = 0; col < 2; ++col)
            x(row, col) = std::sqrt(a) * batch.x0(row, col) + std::sqrt(1 - a) * batch.noise(row, col);
    }
    Matrix y = network.forward(inputs(x, batch.t, schedule));
    const double count = double(y.numbers.size());
    double loss = 0;
    for (std::size_t i = 0; i < y.numbers.size(); ++i) {
        const double gap = y.numbers[i] - batch.noise.numbers[i];
        loss += gap * gap / count;
        y.numbers[i] = 2 * gap / count;
    }
    network.backward(y);
    return loss;
}

Matrix step_to(const Matrix& x, int from, int to, const Matrix& predicted, const Matrix& z, const Schedule& schedule) {
    const double a = schedule.left[std::size_t(from)], b = schedule.left[std::size_t(to)];
    const double variance = (1 - b) / (1 - a) * (1 - a / b);
    Matrix found = x;
    for (std::size_t i = 0; i < x.numbers.size(); ++i) {
        const double x0 = (x.numbers[i] - std::sqrt(1 - a) * predicted.numbers[i]) / std::sqrt(a);
        const double old = std::sqrt(1 - b - variance) * predicted.numbers[i];
        found.numbers[i] = std::sqrt(b) * x0 + old + std::sqrt(variance) * z.numbers[i];
    }
    return found;
}

Matrix sample(const Predictor& predict, const Schedule& schedule, int calls, int count, std::mt19937_64& random) {
    Matrix x = normal(count, random);
    for (int k = calls; k > 0; --k) {
        const int from = schedule.steps() * k / calls, to = schedule.steps() * (k - 1) / calls;
        x = step_to(x, from, to, predict(x, from), normal(count, random), schedule);
    }
    return x;
}

double sliced_wasserstein(const Matrix& a, const Matrix& b, const Numbers& angles) {
    double sum = 0;
    for (const double angle : angles) {
        const Numbers of_a = projected(a, angle), of_b = projected(b, angle);
        for (std::size_t i = 0; i < of_a.size(); ++i) sum += (of_a[i] - of_b[i]) * (of_a[i] - of_b[i]);
    }
    return std::sqrt(sum / (double(angles.size()) * a.rows));
}

Network train(const Matrix& data, const Schedule& schedule, std::mt19937_64& random) {
    Network network({inputs_of_a_point, 64, 48, 2}, random);
    std::vector<int> order(std::size_t(data.rows), 0);
    std::iota(order.begin(), order.end(), 0);
    const int epochs = 60, size = 200;
    for (int epoch = 0; epoch < epochs; ++epoch) {
        std::shuffle(order.begin(), order.end(), random);
        double loss = 0;
        for (int first = 0; first + size <= data.rows; first += size) {
            Batch batch{Matrix(size, 2), std::vector<int>(std::size_t(size)), normal(size, random)};
            for (int row = 0; row < size; ++row) {
                const int from = order[std::size_t(first + row)];
                for (int col = 0; col < 2; ++col) {
                    batch.x0(row, col) = data(from, col);
                    if (row % 2) batch.noise(row, col) = -batch.noise(row - 1, col);
                }
                batch.t[std::size_t(row)] = 1 + int(random() % std::uint64_t(schedule.steps()));
            }
            loss = noise_loss(network, schedule, batch);
            network.adam(0.006 * (1 + std::cos(std::numbers::pi * epoch / epochs)) / 2);
        }
        kit::progress(double(epoch + 1) / epochs, loss);
    }
    return network;
}
