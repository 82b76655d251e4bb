#include "driver.hpp"

#include <set>

#include "moons.hpp"

namespace {

// The loss, and the gradients of all weights and biases.
void loss_by_hand(kit::Arguments& in, kit::Answer& out) {
    const Schedule schedule{in.next<Numbers>()};
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

Matrix call_step(Matrix x, int from, int to, Matrix predicted, Matrix z, Numbers left) {
    return step_to(x, from, to, predicted, z, Schedule{left});
}

// The noise in points after t steps, if both coordinates of the data are normal and independent.
Matrix noise_of_normal(const Matrix& x, double left, const Numbers& mean, const Numbers& deviation) {
    Matrix found(x.rows, x.cols);
    for (int row = 0; row < x.rows; ++row)
        for (int col = 0; col < x.cols; ++col) {
            const double m = mean.at(std::size_t(col)), s = deviation.at(std::size_t(col));
            found(row, col) = std::sqrt(1 - left) * (x(row, col) - std::sqrt(left) * m) / (left * s * s + 1 - left);
        }
    return found;
}

// Samples with this predictor, and the steps at which it was asked, the largest first.
std::pair<Matrix, std::vector<int>> call_sample(Numbers left, Numbers mean, Numbers deviation, int calls, int count,
                                                long seed) {
    std::mt19937_64 random{std::uint64_t(seed)};
    std::set<int, std::greater<int>> told;
    Matrix found = sample(
        [&](const Matrix& x, int t) {
            if (t < 0 || t >= int(left.size()))
                throw std::out_of_range("the predictor was told step " + std::to_string(t) + " of " +
                                        std::to_string(left.size() - 1));
            told.insert(t);
            return noise_of_normal(x, left[std::size_t(t)], mean, deviation);
        },
        Schedule{left}, calls, count, random);
    return {std::move(found), {told.begin(), told.end()}};
}

// Trains, and takes samples.
Matrix call_learned(Matrix data, Numbers left, long seed, int calls, int count) {
    const Schedule schedule{left};
    std::mt19937_64 random{std::uint64_t(seed)};
    Network network = train(data, schedule, random);
    const Predictor predict = [&](const Matrix& x, int t) {
        return network.forward(inputs(x, std::vector<int>(std::size_t(x.rows), t), schedule));
    };
    return sample(predict, schedule, calls, count, random);
}

const kit::Function functions[] = {
    {"time_features", time_features},
    {"noise_loss", loss_by_hand},
    {"step_to", call_step},
    {"sample", call_sample},
    {"sliced_wasserstein", sliced_wasserstein},
    {"learned", call_learned},
};

}  // namespace
