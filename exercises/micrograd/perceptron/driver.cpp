#include "driver.hpp"
#include "network.hpp"

#include <stdexcept>
#include <string>

namespace {

std::vector<Value> values(const std::vector<double>& numbers) { return {numbers.begin(), numbers.end()}; }

std::vector<double> data(const std::vector<Value>& values) {
    std::vector<double> numbers;
    for (const Value& value : values) numbers.push_back(value.data());
    return numbers;
}

std::vector<double> grads(const std::vector<Value>& values) {
    std::vector<double> numbers;
    for (const Value& value : values) numbers.push_back(value.grad());
    return numbers;
}

// A neuron with these weights and this bias, set by name.
void set(Neuron& neuron, const std::vector<double>& w, double b) {
    if (neuron.w.size() != w.size())
        throw std::runtime_error("a neuron of " + std::to_string(w.size()) + " inputs has " +
                                 std::to_string(neuron.w.size()) + " weights");
    for (std::size_t i = 0; i < w.size(); ++i) neuron.w[i].set(w[i]);
    neuron.b.set(b);
}

Neuron make(const std::vector<double>& w, double b) {
    std::mt19937 random(1);
    Neuron neuron(int(w.size()), random);
    set(neuron, w, b);
    return neuron;
}

double neuron(const std::vector<double>& w, double b, const std::vector<double>& x) {
    return make(w, b)(values(x)).data();
}

// The gradients with respect to the weights, the bias and the inputs.
std::tuple<std::vector<double>, double, std::vector<double>> neuron_gradients(const std::vector<double>& w, double b,
                                                                              const std::vector<double>& x) {
    const Neuron neuron = make(w, b);
    const auto inputs = values(x);
    neuron(inputs).backward();
    return {grads(neuron.w), neuron.b.grad(), grads(inputs)};
}

std::vector<double> neuron_parameters(const std::vector<double>& w, double b) { return data(make(w, b).parameters()); }

Layer make_layer(const Matrix& w, const std::vector<double>& b) {
    std::mt19937 random(1);
    Layer layer(w.cols, w.rows, random);
    if (layer.neurons.size() != b.size())
        throw std::runtime_error("a layer of " + std::to_string(b.size()) + " outputs has " +
                                 std::to_string(layer.neurons.size()) + " neurons");
    for (int row = 0; row < w.rows; ++row) {
        const auto at = w.numbers.begin() + row * w.cols;
        set(layer.neurons[std::size_t(row)], {at, at + w.cols}, b[std::size_t(row)]);
    }
    return layer;
}

std::vector<double> layer(const Matrix& w, const std::vector<double>& b, const std::vector<double>& x) {
    return data(make_layer(w, b)(values(x)));
}

std::vector<double> layer_parameters(const Matrix& w, const std::vector<double>& b) {
    return data(make_layer(w, b).parameters());
}

// The sizes of the network: for each layer the number of neurons and of weights of the first neuron.
std::vector<int> shape(int inputs, const std::vector<int>& sizes) {
    std::mt19937 random(1);
    std::vector<int> found;
    for (const Layer& layer : Mlp(inputs, sizes, random).layers) {
        found.push_back(int(layer.neurons.size()));
        found.push_back(layer.neurons.empty() ? 0 : int(layer.neurons[0].w.size()));
    }
    return found;
}

int count(int inputs, const std::vector<int>& sizes) {
    std::mt19937 random(1);
    return int(Mlp(inputs, sizes, random).parameters().size());
}

std::vector<double> start(int inputs, const std::vector<int>& sizes, int seed) {
    std::mt19937 random{unsigned(seed)};
    return data(Mlp(inputs, sizes, random).parameters());
}

Mlp make_network(int inputs, const std::vector<int>& sizes, const std::vector<double>& numbers) {
    std::mt19937 random(1);
    Mlp network(inputs, sizes, random);
    const auto parameters = network.parameters();
    if (parameters.size() != numbers.size())
        throw std::runtime_error("parameters() returns " + std::to_string(parameters.size()) + " numbers, expected " +
                                 std::to_string(numbers.size()));
    for (std::size_t i = 0; i < numbers.size(); ++i) parameters[i].set(numbers[i]);
    return network;
}

std::vector<double> network(const std::vector<int>& sizes, const std::vector<double>& parameters,
                            const std::vector<double>& x) {
    return data(make_network(int(x.size()), sizes, parameters)(values(x)));
}

// The gradients of the sum of all outputs with respect to the parameters and the inputs.
std::pair<std::vector<double>, std::vector<double>> gradients(const std::vector<int>& sizes,
                                                              const std::vector<double>& parameters,
                                                              const std::vector<double>& x) {
    const Mlp network = make_network(int(x.size()), sizes, parameters);
    const auto inputs = values(x);
    Value sum;
    for (const Value& output : network(inputs)) sum = sum + output;
    sum.backward();
    return {grads(network.parameters()), grads(inputs)};
}

const kit::Function neuron_("neuron", neuron), neuron_gradients_("neuron_gradients", neuron_gradients),
    neuron_parameters_("neuron_parameters", neuron_parameters), layer_("layer", layer),
    layer_parameters_("layer_parameters", layer_parameters), shape_("shape", shape), count_("count", count),
    start_("start", start), network_("network", network), gradients_("gradients", gradients);

}  // namespace
