// wrong: takes-the-answer
// outcome: did not compile
#include <recto/nn/linear.hpp>
#include <recto/ops/elementwise/unary.hpp>

#include "network.hpp"

Neuron::Neuron(int inputs, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int i = 0; i < inputs; ++i) w.push_back(uniform(random));
    b = uniform(random);
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
    for (const Layer& layer : layers)
        for (const Value& parameter : layer.parameters()) all.push_back(parameter);
    return all;
}
