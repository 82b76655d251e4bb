#include "driver.hpp"

#include <ctime>

#include "sampler.hpp"

namespace {

Schedule schedule_of(const Numbers& beta) {
    Schedule made{beta, Numbers(beta.size(), 1)};
    for (std::size_t t = 1; t < beta.size(); ++t) made.left[t] = made.left[t - 1] * (1 - beta[t]);
    return made;
}

// The noise in x after t steps, if the data are a mixture of normal distributions.
struct Mixture {
    Numbers share, mean, deviation;
    Numbers noise(const Numbers& x, double left) const {
        Numbers found;
        for (const double value : x) {
            double whole = 0, sum = 0;
            for (std::size_t k = 0; k < share.size(); ++k) {
                const double variance = left * deviation[k] * deviation[k] + 1 - left;
                const double gap = value - std::sqrt(left) * mean[k];
                const double density = share[k] * std::exp(-gap * gap / (2 * variance)) / std::sqrt(variance);
                whole += density;
                sum += density * gap / variance;
            }
            found.push_back(whole > 0 ? std::sqrt(1 - left) * sum / whole : 0);
        }
        return found;
    }
};

void batch_by_hand(kit::Arguments& in, kit::Answer& out) {
    const Numbers data = in.next<Numbers>();
    const int steps = in.next<int>(), size = in.next<int>();
    std::mt19937_64 random{std::uint64_t(in.next<long>())};
    const Batch one = draw_batch(data, steps, size, random), two = draw_batch(data, steps, size, random);
    for (const Batch* batch : {&one, &two}) {
        out.write(batch->x0);
        out.write(batch->t);
        out.write(batch->noise);
    }
}

// The loss, and the gradients of all weights and biases.
void loss_by_hand(kit::Arguments& in, kit::Answer& out) {
    const Schedule schedule = schedule_of(in.next<Numbers>());
    Batch batch;
    in.read(batch.x0);
    in.read(batch.t);
    in.read(batch.noise);
    Network network;
    const int layers = in.next<int>();
    for (int at = 0; at < layers; ++at) {
        Layer layer;
        in.read(layer.weight);
        in.read(layer.bias);
        network.layers.push_back(layer);
    }
    network.zero_gradients();
    out.write(noise_loss(network, schedule, batch));
    for (const Layer& layer : network.layers) {
        out.write(layer.weight_gradient);
        out.write(layer.bias_gradient);
    }
}

Numbers call_step(Numbers x, int t, Numbers predicted, Numbers z, Numbers beta) {
    return step_back(x, t, predicted, z, schedule_of(beta));
}

Numbers call_sample(Numbers beta, Numbers share, Numbers mean, Numbers deviation, int count, long seed) {
    const Schedule schedule = schedule_of(beta);
    const Mixture mixture{share, mean, deviation};
    std::mt19937_64 random{std::uint64_t(seed)};
    return sample([&](const Numbers& x, int t) { return mixture.noise(x, schedule.left.at(std::size_t(t))); }, schedule,
                  count, random);
}

Numbers predictions(Network& network, const Numbers& x, const std::vector<int>& t, const Schedule& schedule) {
    return network.forward(inputs(x, t, schedule)).numbers;
}

// Trains: the predictions for some numbers, and the seconds of the training.
std::pair<Numbers, double> call_train(Numbers data, Numbers beta, long seed, Numbers x, std::vector<int> t) {
    const Schedule schedule = schedule_of(beta);
    std::mt19937_64 random{std::uint64_t(seed)};
    const std::clock_t before = std::clock();
    Network network = train(data, schedule, random);
    const double seconds = double(std::clock() - before) / CLOCKS_PER_SEC;
    return {predictions(network, x, t, schedule), seconds};
}

// Trains, and takes samples.
Numbers call_learned(Numbers data, Numbers beta, long seed, int count) {
    const Schedule schedule = schedule_of(beta);
    std::mt19937_64 random{std::uint64_t(seed)};
    Network network = train(data, schedule, random);
    const Predictor predict = [&](const Numbers& x, int t) {
        return predictions(network, x, std::vector<int>(x.size(), t), schedule);
    };
    return sample(predict, schedule, count, random);
}

const kit::Function functions[] = {{"draw_batch", batch_by_hand}, {"noise_loss", loss_by_hand},
                                   {"step_back", call_step},      {"sample", call_sample},
                                   {"train", call_train},         {"learned", call_learned}};

}  // namespace
