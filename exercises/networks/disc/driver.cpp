#include "driver.hpp"

#include "disc.hpp"

namespace {

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

void write(kit::Answer& out, const Network& network) {
    for (const Layer& layer : network.layers) {
        out.write(layer.weight);
        out.write(layer.bias);
    }
}

std::pair<Matrix, std::vector<int>> call_points(int count, long seed) {
    std::mt19937_64 random{std::uint64_t(seed)};
    const Points points = draw_points(count, random);
    return {points.x, points.inside};
}

void make_by_hand(kit::Arguments& in, kit::Answer& out) {
    const auto sizes = in.next<std::vector<int>>();
    const double deviation = in.next<double>();
    std::mt19937_64 random{std::uint64_t(in.next<long>())};
    write(out, make_network(sizes, deviation, random));
}

// A network, then its gradients in the same form, then the rate: the weights and biases after one step and after a
// second one, with other gradients that are added before it.
void step_by_hand(kit::Arguments& in, kit::Answer& out) {
    Network network = network_from(in);
    const Network first = network_from(in), second = network_from(in);
    const double rate = in.next<double>();
    for (const Network* gradients : {&first, &second}) {
        for (std::size_t at = 0; at < network.layers.size(); ++at) {
            Layer& layer = network.layers[at];
            for (std::size_t i = 0; i < layer.weight.numbers.size(); ++i)
                layer.weight_gradient.numbers.at(i) += gradients->layers[at].weight.numbers[i];
            for (std::size_t i = 0; i < layer.bias.numbers.size(); ++i)
                layer.bias_gradient.numbers.at(i) += gradients->layers[at].bias.numbers[i];
        }
        step(network, rate);
        write(out, network);
    }
}

// The weights after several steps of Adam, a row for each step. Each row of `gradients` belongs to one step.
Matrix call_adam(std::vector<double> weights, Matrix gradients, double rate) {
    Memory memory;
    Matrix all(gradients.rows, gradients.cols);
    for (int row = 0; row < gradients.rows; ++row) {
        const auto first = gradients.numbers.begin() + std::ptrdiff_t(row) * gradients.cols;
        adam_step(weights, std::vector<double>(first, first + gradients.cols), memory, rate);
        for (int col = 0; col < gradients.cols; ++col) all(row, col) = weights.at(std::size_t(col));
    }
    return all;
}

// The network after one epoch and after another.
void epoch_by_hand(kit::Arguments& in, kit::Answer& out) {
    Network network = network_from(in);
    Points points;
    in.read(points.x);
    in.read(points.inside);
    const int batch = in.next<int>();
    const double rate = in.next<double>();
    std::mt19937_64 random{std::uint64_t(in.next<long>())};
    for (int time = 0; time < 2; ++time) {
        epoch(network, points, batch, rate, random);
        write(out, network);
    }
}

// Trains a deep network: with this deviation, or with the network's own weights if it is 0. The share of errors among
// other points.
double call_trained(double deviation, long seed) {
    std::mt19937_64 random{std::uint64_t(seed)};
    const std::vector<int> sizes{2, 4, 8, 16, 32, 64, 128, 2};
    const Points learn = draw_points(2000, random), test = draw_points(10'000, random);
    Network network = deviation > 0 ? make_network(sizes, deviation, random) : Network(sizes, random);
    const int epochs = 240;
    for (int done = 0; done < epochs; ++done) {
        epoch(network, learn, 100, done < 200 ? 0.1 : 0.02, random);
        if (done % 10 == 0) kit::progress(double(done) / epochs, 0);
    }
    const Matrix y = network.forward(test.x);
    int wrong = 0;
    for (int row = 0; row < y.rows; ++row) wrong += (y(row, 1) > y(row, 0)) != (test.inside.at(std::size_t(row)) == 1);
    return double(wrong) / y.rows;
}

const kit::Function functions[] = {{"draw_points", call_points}, {"make_network", make_by_hand},
                                   {"step", step_by_hand},       {"adam_step", call_adam},
                                   {"epoch", epoch_by_hand},     {"trained", call_trained}};

}  // namespace
