// Random bits scaled by hand, the bias drawn first, lists filled from the front.
#include "network.hpp"

// Between -1 and 1, from 32 random bits.
static double draw(std::mt19937& random) { return (double(random()) + 0.5) / 2147483648.0 - 1; }

Neuron::Neuron(int inputs, std::mt19937& random) : b(draw(random)) {
    for (int i = 0; i < inputs; ++i) w.insert(w.begin(), Value(draw(random)));
}

Value Neuron::operator()(const std::vector<Value>& x) const {
    Value sum = 0;
    const Value* weight = w.data();
    for (const Value& input : x) sum = input * *weight++ + sum;
    sum = sum + b;
    return tanh(sum);
}

std::vector<Value> Neuron::parameters() const {
    std::vector<Value> all{b};
    all.insert(all.begin(), w.begin(), w.end());
    return all;
}

Layer::Layer(int inputs, int outputs, std::mt19937& random) : neurons() {
    for (int k = outputs; k > 0; --k) neurons.insert(neurons.begin(), Neuron(inputs, random));
}

std::vector<Value> Layer::operator()(const std::vector<Value>& x) const {
    std::vector<Value> y;
    for (std::size_t k = 0; k < neurons.size(); ++k) {
        const Value out = neurons[k](x);
        y.push_back(out);
    }
    return y;
}

std::vector<Value> Layer::parameters() const {
    std::vector<Value> all;
    for (auto neuron = neurons.rbegin(); neuron != neurons.rend(); ++neuron) {
        const std::vector<Value> own = neuron->parameters();
        all.insert(all.begin(), own.begin(), own.end());
    }
    return all;
}

Mlp::Mlp(int inputs, const std::vector<int>& sizes, std::mt19937& random) {
    std::vector<int> widths{inputs};
    widths.insert(widths.end(), sizes.begin(), sizes.end());
    for (std::size_t k = 1; k < widths.size(); ++k) layers.emplace_back(widths[k - 1], widths[k], random);
}

std::vector<Value> Mlp::operator()(const std::vector<Value>& x) const {
    if (layers.empty()) return x;
    std::vector<Value> y = layers.front()(x);
    for (std::size_t k = 1; k < layers.size(); ++k) y = layers[k](y);
    return y;
}

std::vector<Value> Mlp::parameters() const {
    std::vector<Value> all;
    for (const Layer& layer : layers)
        for (const Neuron& neuron : layer.neurons)
            for (const Value& number : neuron.parameters()) all.push_back(number);
    return all;
}
