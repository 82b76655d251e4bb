#pragma once
// A small network of single numbers. You write the members that are only declared here.
#include <random>
#include <vector>

#include "finished_value.hpp"

// tanh(w . x + b)
struct Neuron {
    std::vector<Value> w;  // one weight for each input
    Value b;

    // Weights and bias are drawn from the uniform distribution between -1 and 1.
    Neuron(int inputs, std::mt19937& random);
    Value operator()(const std::vector<Value>& x) const;
    // The weights, then the bias: the parameters themselves, not copies of their values.
    std::vector<Value> parameters() const;
};

// Several neurons that all take the same inputs.
struct Layer {
    std::vector<Neuron> neurons;

    Layer(int inputs, int outputs, std::mt19937& random);
    std::vector<Value> operator()(const std::vector<Value>& x) const;
    // Neuron after neuron.
    std::vector<Value> parameters() const;
};

// A sequence of layers: Mlp(3, {4, 4, 1}, random) takes 3 inputs and has layers of 4, 4 and 1 neurons.
struct Mlp {
    std::vector<Layer> layers;

    Mlp(int inputs, const std::vector<int>& sizes, std::mt19937& random);
    std::vector<Value> operator()(const std::vector<Value>& x) const;
    // Layer after layer.
    std::vector<Value> parameters() const;
};
