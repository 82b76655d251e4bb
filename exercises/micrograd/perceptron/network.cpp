#include "network.hpp"

#include "not_written.hpp"

Neuron::Neuron(int inputs, std::mt19937& random) {
    // std::uniform_real_distribution<double> uniform(low, high) draws numbers: uniform(random) is the next one.
    not_written("the constructor of Neuron");
}

Value Neuron::operator()(const std::vector<Value>& x) const {
    not_written("the call of a Neuron");
    return b;
}

std::vector<Value> Neuron::parameters() const {
    not_written("the parameters of a Neuron");
    return {};
}

Layer::Layer(int inputs, int outputs, std::mt19937& random) { not_written("the constructor of Layer"); }

std::vector<Value> Layer::operator()(const std::vector<Value>& x) const {
    not_written("the call of a Layer");
    return {};
}

std::vector<Value> Layer::parameters() const {
    not_written("the parameters of a Layer");
    return {};
}

Mlp::Mlp(int inputs, const std::vector<int>& sizes, std::mt19937& random) { not_written("the constructor of Mlp"); }

std::vector<Value> Mlp::operator()(const std::vector<Value>& x) const {
    not_written("the call of an Mlp");
    return {};
}

std::vector<Value> Mlp::parameters() const {
    not_written("the parameters of an Mlp");
    return {};
}
