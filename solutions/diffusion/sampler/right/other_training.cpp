// A training with three hidden layers, a fixed learning rate with averages at its end, and shuffled data instead of draws.
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
    Network network({2, 24, 24, 24, 1}, random);
    Numbers shuffled = data;
    const int epochs = 100;
    for (int epoch = 0; epoch < epochs; ++epoch) {
        std::shuffle(shuffled.begin(), shuffled.end(), random);
        double loss = 0;
        for (std::size_t at = 0; at + 200 <= shuffled.size(); at += 200) {
            Batch batch = draw_batch(shuffled, schedule.steps(), 200, random);
            std::copy(shuffled.begin() + std::ptrdiff_t(at), shuffled.begin() + std::ptrdiff_t(at + 200),
                      batch.x0.begin());
            loss = noise_loss(network, schedule, batch);
            network.adam(0.005 / (1 + epoch / 10));
        }
        kit::progress(double(epoch + 1) / epochs, loss);
    }
    return network;
}
