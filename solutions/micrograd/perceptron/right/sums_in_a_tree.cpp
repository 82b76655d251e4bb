// Sums as a tree of neighbours.
#include "network.hpp"

namespace {

// The sum of all terms, neighbours first.
Value total(std::vector<Value> terms) {
    while (terms.size() > 1) {
        std::vector<Value> fewer;
        for (std::size_t i = 0; i + 1 < terms.size(); i += 2) fewer.push_back(terms[i] + terms[i + 1]);
        if (terms.size() % 2 == 1) fewer.push_back(terms.back());
        terms = fewer;
    }
    return terms.front();
}

}  // namespace

Neuron::Neuron(int inputs, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(0, 2);
    while (inputs-- > 0) w.emplace_back(1 - uniform(random));
    b = Value(1 - uniform(random));
}

Value Neuron::operator()(const std::vector<Value>& x) const {
    std::vector<Value> terms{b};
    for (std::size_t i = 0; i < x.size(); ++i) terms.push_back(x[i] * w[i]);
    return tanh(total(terms));
}

std::vector<Value> Neuron::parameters() const {
    std::vector<Value> all(w.begin(), w.end());
    all.insert(all.end(), b);
    return all;
}

Layer::Layer(int inputs, int outputs, std::mt19937& random) {
    neurons.reserve(std::size_t(outputs));
    while (neurons.size() < std::size_t(outputs)) neurons.push_back(Neuron(inputs, random));
}

std::vector<Value> Layer::operator()(const std::vector<Value>& x) const {
    std::vector<Value> y(neurons.size());
    for (std::size_t i = y.size(); i-- > 0;) y[i] = neurons[i](x);
    return y;
}

std::vector<Value> Layer::parameters() const {
    std::vector<Value> all;
    for (const Neuron& neuron : neurons) {
        for (const Value& weight : neuron.w) all.push_back(weight);
        all.push_back(neuron.b);
    }
    return all;
}

Mlp::Mlp(int inputs, const std::vector<int>& sizes, std::mt19937& random) {
    int before = inputs;
    for (auto size = sizes.begin(); size != sizes.end(); before = *size++) layers.emplace_back(before, *size, random);
}

std::vector<Value> Mlp::operator()(const std::vector<Value>& x) const {
    std::vector<std::vector<Value>> between{x};
    for (const Layer& layer : layers) between.push_back(layer(between.back()));
    return between.back();
}

std::vector<Value> Mlp::parameters() const {
    std::vector<Value> all;
    for (const Layer& layer : layers) {
        const auto own = layer.parameters();
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}
