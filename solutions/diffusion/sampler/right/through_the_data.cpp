// The step back through an estimate of the data: the mean of the step before, given both ends.
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
    const std::size_t size = batch.x0.size();
    Numbers x(size);
    for (std::size_t i = 0; i < size; ++i) {
        const double a = schedule.left[std::size_t(batch.t[i])];
        x[i] = std::sqrt(a) * batch.x0[i] + std::sqrt(1 - a) * batch.noise[i];
    }
    Matrix y = network.forward(inputs(x, batch.t, schedule));
    double loss = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const double gap = y.numbers[i] - batch.noise[i];
        loss += gap * gap / double(size);
        y.numbers[i] = 2 * gap / double(size);
    }
    network.backward(y);
    return loss;
}

Numbers step_back(const Numbers& x, int t, const Numbers& predicted, const Numbers& z, const Schedule& schedule) {
    const double b = schedule.beta[std::size_t(t)], a = schedule.left[std::size_t(t)];
    const double earlier = schedule.left[std::size_t(t - 1)];
    Numbers before = z;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double x0 = (x[i] - std::sqrt(1 - a) * predicted[i]) / std::sqrt(a);
        const double mean = (std::sqrt(earlier) * b * x0 + std::sqrt(1 - b) * (1 - earlier) * x[i]) / (1 - a);
        before[i] = t == 1 ? x0 : mean + std::sqrt(b) * z[i];
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
