// Through the score, the derivative of the log density, and draws by the method of Box and Muller.
#include "sampler.hpp"

namespace {

double uniform(std::mt19937_64& random) { return (double(random() >> 11) + 0.5) / 9007199254740992.0; }

Numbers normal(int count, std::mt19937_64& random) {
    Numbers found;
    for (int i = 0; i < count; ++i) {
        const double radius = std::sqrt(-2 * std::log(uniform(random)));
        found.push_back(radius * std::cos(6.283185307179586 * uniform(random)));
    }
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
    const double b = schedule.beta[std::size_t(t)];
    Numbers before;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double score = -predicted[i] / std::sqrt(1 - schedule.left[std::size_t(t)]);
        before.push_back((x[i] + b * score) / std::sqrt(1 - b) + (t == 1 ? 0 : std::sqrt(b) * z[i]));
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
