// The square multiplied out, and lists of factors made beforehand.
#include "sampler.hpp"

namespace {

Numbers normal(int count, std::mt19937_64& random) {
    std::normal_distribution<double> draw;
    Numbers found(static_cast<std::size_t>(count));
    for (double& value : found) value = draw(random);
    return found;
}

}  // namespace

Batch draw_batch(const Numbers& data, int steps, int size, std::mt19937_64& random) {
    std::uniform_int_distribution<std::size_t> place(0, data.size() - 1);
    std::uniform_int_distribution<int> step(1, steps);
    Batch batch;
    for (int i = 0; i < size; ++i) {
        batch.x0.push_back(data[place(random)]);
        batch.t.push_back(step(random));
    }
    batch.noise = normal(size, random);
    return batch;
}

double noise_loss(Network& network, const Schedule& schedule, const Batch& batch) {
    Numbers of_data(schedule.left.size()), of_noise(schedule.left.size());
    std::transform(schedule.left.begin(), schedule.left.end(), of_data.begin(), [](double a) { return std::sqrt(a); });
    std::transform(schedule.left.begin(), schedule.left.end(), of_noise.begin(),
                   [](double a) { return std::sqrt(1 - a); });
    Numbers x;
    for (std::size_t i = 0; i < batch.x0.size(); ++i) {
        const std::size_t t = std::size_t(batch.t[i]);
        x.push_back(of_noise[t] * batch.noise[i] + of_data[t] * batch.x0[i]);
    }
    const Matrix y = network.forward(inputs(x, batch.t, schedule));
    const auto dot = [](const Numbers& a, const Numbers& b) {
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    Matrix dy(y.rows, 1);
    for (int i = 0; i < y.rows; ++i) dy(i, 0) = (y(i, 0) - batch.noise[std::size_t(i)]) * (2.0 / y.rows);
    network.backward(dy);
    return (dot(y.numbers, y.numbers) - 2 * dot(y.numbers, batch.noise) + dot(batch.noise, batch.noise)) / y.rows;
}

Numbers step_back(const Numbers& x, int t, const Numbers& predicted, const Numbers& z, const Schedule& schedule) {
    const double b = schedule.beta[std::size_t(t)], a = schedule.left[std::size_t(t)];
    Numbers before(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        before[i] = (x[i] - b / std::sqrt(1 - a) * predicted[i]) / std::sqrt(1 - b);
        if (t > 1) before[i] += std::sqrt(b) * z[i];
    }
    return before;
}

Numbers sample(const Predictor& predict, const Schedule& schedule, int count, std::mt19937_64& random) {
    Numbers x = normal(count, random);
    for (int t = schedule.steps(); t > 0; --t) x = step_back(x, t, predict(x, t), normal(count, random), schedule);
    return x;
}

Network train(const Numbers& data, const Schedule& schedule, std::mt19937_64& random) {
    const int rounds = 12'000;
    Network network({2, 32, 32, 1}, random);
    for (int round = 0; round < rounds; ++round) {
        const double loss = noise_loss(network, schedule, draw_batch(data, schedule.steps(), 256, random));
        network.adam(0.01 * (1 - double(round) / rounds));
        if (round % 200 == 0) kit::progress(double(round) / rounds, loss);
    }
    return network;
}
