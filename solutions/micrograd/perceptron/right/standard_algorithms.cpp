// std::inner_product, std::generate_n and std::transform instead of loops.
#include "network.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

template <class Part>
static std::vector<Value> collect(const std::vector<Part>& parts) {
    return std::accumulate(parts.begin(), parts.end(), std::vector<Value>{},
                           [](std::vector<Value> all, const Part& part) {
                               const auto more = part.parameters();
                               all.insert(all.end(), more.begin(), more.end());
                               return all;
                           });
}

Neuron::Neuron(int inputs, std::mt19937& random) {
    const auto draw = [&random] { return Value(2 * std::generate_canonical<double, 53>(random) - 1); };
    std::generate_n(std::back_inserter(w), inputs, draw);
    b = draw();
}

Value Neuron::operator()(const std::vector<Value>& x) const {
    return tanh(std::inner_product(w.begin(), w.end(), x.begin(), b));
}

std::vector<Value> Neuron::parameters() const {
    auto all = w;
    all.insert(all.end(), b);
    return all;
}

Layer::Layer(int inputs, int outputs, std::mt19937& random) {
    std::generate_n(std::back_inserter(neurons), outputs, [&] { return Neuron(inputs, random); });
}

std::vector<Value> Layer::operator()(const std::vector<Value>& x) const {
    std::vector<Value> y(neurons.size());
    std::transform(neurons.begin(), neurons.end(), y.begin(), [&x](const Neuron& neuron) { return neuron(x); });
    return y;
}

std::vector<Value> Layer::parameters() const { return collect(neurons); }

Mlp::Mlp(int inputs, const std::vector<int>& sizes, std::mt19937& random) {
    std::transform(sizes.begin(), sizes.end(), std::back_inserter(layers),
                   [&](int outputs) { return Layer(std::exchange(inputs, outputs), outputs, random); });
}

std::vector<Value> Mlp::operator()(const std::vector<Value>& x) const {
    return std::accumulate(layers.begin(), layers.end(), x,
                           [](const std::vector<Value>& y, const Layer& layer) { return layer(y); });
}

std::vector<Value> Mlp::parameters() const { return collect(layers); }
