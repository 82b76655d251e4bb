// Parameters put straight from neuron to network, without the lists of the layers; the bias is drawn first.
#include "network.hpp"

Neuron::Neuron(int inputs, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    b = Value(uniform(random));
    while (w.size() < std::size_t(inputs)) w.emplace_back(uniform(random));
}

Value Neuron::operator()(const std::vector<Value>& x) const {
    Value sum = b;
    for (std::size_t i = 0; i < w.size(); ++i) sum = sum + w[i] * x[i];
    return tanh(sum);
}

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

std::vector<Value> Mlp::operator()(const std::vector<Value>& x) const {
    std::vector<Value> y = x;
    for (const Layer& layer : layers) y = layer(y);
    return y;
}

std::vector<Value> Mlp::parameters() const {
    std::vector<Value> all;
    for (std::size_t i = 0; i < layers.size(); ++i)
        for (std::size_t j = 0; j < layers[i].neurons.size(); ++j) {
            const Neuron& neuron = layers[i].neurons[j];
            all.insert(all.end(), neuron.w.cbegin(), neuron.w.cend());
            all.push_back(neuron.b);
        }
    return all;
}
