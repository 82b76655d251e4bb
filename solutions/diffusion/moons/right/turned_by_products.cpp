// Sines and cosines by turning: each angle from the one before it; and unit vectors instead of angles.
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
    for (std::size_t row = 0; row < t.size(); ++row) {
        const double share = double(t[row]) / double(steps);
        const double s = std::sin(std::numbers::pi * share / 2), c = std::cos(std::numbers::pi * share / 2);
        double sine = 0, cosine = 1;
        for (int k = 0; k < width; k += 2) {
            const double turned = sine * c + cosine * s;
            cosine = cosine * c - sine * s;
            sine = turned;
            found(int(row), k) = sine;
            found(int(row), k + 1) = cosine;
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
    double largest = 0;  // the norm of all differences, as std::hypot adds them
    for (std::size_t at = angles.size(); at-- > 0;) {
        const Numbers p = projected(a, angles[at]), q = projected(b, angles[at]);
        for (std::size_t i = p.size(); i-- > 0;) largest = std::hypot(largest, p[i] - q[i]);
    }
    return largest / std::sqrt(double(a.rows)) / std::sqrt(double(angles.size()));
}

Network train(const Matrix& data, const Schedule& schedule, std::mt19937_64& random) {
    const int rounds = 6000, size = 256;
    std::uniform_int_distribution<int> place(0, data.rows - 1), step(1, schedule.steps());
    Network network({inputs_of_a_point, 32, 32, 32, 2}, random);
    for (int round = 0; round < rounds; ++round) {
        Batch batch{Matrix(size, 2), std::vector<int>(size), normal(size, random)};
        for (int row = 0; row < size; ++row) {
            const int chosen = place(random);
            for (int col = 0; col < 2; ++col) batch.x0(row, col) = data(chosen, col);
            batch.t[std::size_t(row)] = step(random);
        }
        const double loss = noise_loss(network, schedule, batch);
        network.adam(0.01 * (1 - double(round) / rounds));
        if (round % 200 == 0) kit::progress(double(round) / rounds, loss);
    }
    return network;
}
