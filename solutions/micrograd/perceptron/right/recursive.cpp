// The layers call each other by recursion; the sum of a neuron is taken by halves.
#include "network.hpp"

Neuron::Neuron(int inputs, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int i = 0; i < inputs; ++i) w.push_back(uniform(random));
    b = uniform(random);
}

// The sum of w[i] x[i] from `first` up to `last`.
static Value between(const std::vector<Value>& w, const std::vector<Value>& x, std::size_t first, std::size_t last) {
    if (first == last) return 0;
    if (last - first == 1) return w[first] * x[first];
    const std::size_t middle = (first + last) / 2;
    return between(w, x, first, middle) + between(w, x, middle, last);
}

Value Neuron::operator()(const std::vector<Value>& x) const { return tanh(between(w, x, 0, w.size()) + b); }

std::vector<Value> Neuron::parameters() const {
    std::vector<Value> all = w;
    all.push_back(b);
    return all;
}

Layer::Layer(int inputs, int outputs, std::mt19937& random) {
    for (int i = 0; i < outputs; ++i) neurons.emplace_back(inputs, random);
}

std::vector<Value> Layer::operator()(const std::vector<Value>& x) const {
    std::vector<Value> y;
    for (const Neuron& neuron : neurons) y.push_back(neuron(x));
    return y;
}

std::vector<Value> Layer::parameters() const {
    std::vector<Value> all;
    for (const Neuron& neuron : neurons)
        for (const Value& parameter : neuron.parameters()) all.push_back(parameter);
    return all;
}

Mlp::Mlp(int inputs, const std::vector<int>& sizes, std::mt19937& random) {
    for (const int outputs : sizes) {
        layers.emplace_back(inputs, outputs, random);
        inputs = outputs;
    }
}

static std::vector<Value> from(const std::vector<Layer>& layers, std::size_t at, const std::vector<Value>& x) {
    return at == layers.size() ? x : from(layers, at + 1, layers[at](x));
}

std::vector<Value> Mlp::operator()(const std::vector<Value>& x) const { return from(layers, 0, x); }

std::vector<Value> Mlp::parameters() const {
    std::vector<Value> all;
    for (const Layer& layer : layers)
        for (const Value& parameter : layer.parameters()) all.push_back(parameter);
    return all;
}
