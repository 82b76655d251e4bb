#include "driver.hpp"

#include <random>
#include <string>

#include "vae.hpp"

namespace {

constexpr int pixels = 784, hidden = 100, few = 8, batch = 100, epochs = 3;

Network network_from(kit::Arguments& in) {
    Network network;
    const int layers = in.next<int>();
    for (int at = 0; at < layers; ++at) {
        Layer layer;
        in.read(layer.weight);
        in.read(layer.bias);
        network.layers.push_back(layer);
    }
    network.zero_gradients();
    return network;
}

Vae vae_from(kit::Arguments& in) {
    Vae vae;
    vae.encoder = network_from(in);
    vae.decoder = network_from(in);
    return vae;
}

Matrix pictures(const std::string& bytes) {
    Matrix x(int(bytes.size()) / pixels, pixels);
    for (std::size_t i = 0; i < x.numbers.size(); ++i)
        x.numbers[i] = double(static_cast<unsigned char>(bytes[i])) / 255;
    return x;
}

Matrix normal(int rows, int cols, std::mt19937_64& random) {
    Matrix found(rows, cols);
    for (double& value : found.numbers) value = normal_draw(random);
    return found;
}

Matrix rows_of(const Matrix& x, const std::vector<int>& places, int from, int to) {
    Matrix found(to - from, x.cols);
    for (int row = 0; row < found.rows; ++row) {
        const auto first = x.numbers.begin() + std::ptrdiff_t(places[std::size_t(from + row)]) * x.cols;
        std::copy(first, first + x.cols, found.numbers.begin() + std::ptrdiff_t(row) * x.cols);
    }
    return found;
}

std::vector<double> call_divergence(Matrix mean, Matrix log_variance) { return divergence({mean, log_variance}); }
Matrix call_latents(Matrix mean, Matrix log_variance, Matrix noise) { return latents({mean, log_variance}, noise); }

void loss_by_hand(kit::Arguments& in, kit::Answer& out) {
    Vae vae = vae_from(in);
    const Matrix x = in.next<Matrix>(), noise = in.next<Matrix>();
    out.write(loss(vae, x, noise));
}

// The gradients of the encoder, then those of the decoder.
void gradient_by_hand(kit::Arguments& in, kit::Answer& out) {
    Vae vae = vae_from(in);
    const Matrix x = in.next<Matrix>(), noise = in.next<Matrix>();
    loss(vae, x, noise);
    for (const Network* network : {&vae.encoder, &vae.decoder})
        for (const Layer& layer : network->layers) {
            out.write(layer.weight_gradient);
            out.write(layer.bias_gradient);
        }
}

// Trains: the weights and biases of the encoder, then those of the decoder.
void train_by_hand(kit::Arguments& in, kit::Answer& out) {
    const Matrix x = pictures(in.next<std::string>());
    std::mt19937_64 random{std::uint64_t(in.next<long>())};
    Vae vae{Network({pixels, hidden, 2 * few}, random), Network({few, hidden, pixels}, random)};
    std::vector<int> places(static_cast<std::size_t>(x.rows));
    std::iota(places.begin(), places.end(), 0);
    const int steps = epochs * (x.rows / batch);
    int step = 0;
    for (int epoch = 0; epoch < epochs; ++epoch) {
        for (std::size_t i = places.size() - 1; i > 0; --i) std::swap(places[i], places[std::size_t(random() % (i + 1))]);
        for (int from = 0; from + batch <= x.rows; from += batch, ++step) {
            const double now = loss(vae, rows_of(x, places, from, from + batch), normal(batch, few, random));
            for (Network* network : {&vae.encoder, &vae.decoder}) network->adam(0.003 * (1 - double(step) / steps));
            if (step % 10 == 0) kit::progress(double(step) / steps, now);
        }
    }
    for (const Network* network : {&vae.encoder, &vae.decoder})
        for (const Layer& layer : network->layers) {
            out.write(layer.weight);
            out.write(layer.bias);
        }
}

// The mean loss of these images, with one draw each.
void mean_loss_by_hand(kit::Arguments& in, kit::Answer& out) {
    Vae vae = vae_from(in);
    const Matrix x = pictures(in.next<std::string>());
    std::mt19937_64 random{std::uint64_t(in.next<long>())};
    std::vector<int> places(static_cast<std::size_t>(x.rows));
    std::iota(places.begin(), places.end(), 0);
    double sum = 0;
    for (int from = 0; from < x.rows; from += batch) {
        const int to = std::min(x.rows, from + batch);
        sum += loss(vae, rows_of(x, places, from, to), normal(to - from, few, random)) * (to - from);
    }
    out.write(sum / x.rows);
}

const kit::Function functions[] = {{"divergence", call_divergence}, {"latents", call_latents},
                                   {"loss", loss_by_hand},          {"gradient", gradient_by_hand},
                                   {"train", train_by_hand},        {"mean_loss", mean_loss_by_hand}};

}  // namespace
