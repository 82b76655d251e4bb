// A walk that calls itself, and a batch drawn number by number from one stream of noise.
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
    std::normal_distribution<double> noise;
    std::uniform_real_distribution<double> share;
    Batch batch;
    for (int i = 0; i < size; ++i) {
        batch.noise.push_back(noise(random));
        batch.t.push_back(1 + std::min(steps - 1, int(share(random) * steps)));
        batch.x0.push_back(data[std::min(data.size() - 1, std::size_t(share(random) * double(data.size())))]);
    }
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
    Numbers before(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        before[i] = (x[i] - b / std::sqrt(1 - a) * predicted[i]) / std::sqrt(1 - b);
        if (t > 1) before[i] += std::sqrt(b) * z[i];
    }
    return before;
}

namespace {

Numbers from(Numbers x, int t, const Predictor& predict, const Schedule& schedule, std::mt19937_64& random) {
    if (t == 0) return x;
    const Numbers z = normal(int(x.size()), random);
    return from(step_back(x, t, predict(x, t), z, schedule), t - 1, predict, schedule, random);
}

}  // namespace

Numbers sample(const Predictor& predict, const Schedule& schedule, int count, std::mt19937_64& random) {
    return from(normal(count, random), schedule.steps(), predict, schedule, random);
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
