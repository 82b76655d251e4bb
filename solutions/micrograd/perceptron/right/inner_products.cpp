// Standard algorithms, and the bias drawn first.
#include "network.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

Neuron::Neuron(int inputs, std::mt19937& random) : w(std::size_t(inputs)) {
    const auto draw = [&] { return Value(std::uniform_real_distribution<double>(-1, 1)(random)); };
    b = draw();
    std::generate(w.begin(), w.end(), draw);
}

Value Neuron::operator()(const std::vector<Value>& x) const { return tanh(std::inner_product(w.begin(), w.end(), x.begin(), b)); }

std::vector<Value> Neuron::parameters() const {
    std::vector<Value> list(w.size() + 1, b);
    std::copy(w.begin(), w.end(), list.begin());
    return list;
}

Layer::Layer(int inputs, int outputs, std::mt19937& random) {
    std::generate_n(std::back_inserter(neurons), outputs, [&] { return Neuron(inputs, random); });
}

std::vector<Value> Layer::operator()(const std::vector<Value>& x) const {
    std::vector<Value> y;
    std::transform(neurons.begin(), neurons.end(), std::back_inserter(y), [&](const Neuron& neuron) { return neuron(x); });
    return y;
}

template <class Parts>
static std::vector<Value> joined(const Parts& parts) {
    return std::accumulate(parts.begin(), parts.end(), std::vector<Value>(), [](std::vector<Value> all, const auto& part) {
        const std::vector<Value> more = part.parameters();
        all.insert(all.end(), more.begin(), more.end());
        return all;
    });
}

std::vector<Value> Layer::parameters() const { return joined(neurons); }

Mlp::Mlp(int inputs, const std::vector<int>& sizes, std::mt19937& random) {
    for (std::size_t i = 0; i < sizes.size(); ++i) layers.push_back(Layer(i == 0 ? inputs : sizes[i - 1], sizes[i], random));
}

std::vector<Value> Mlp::operator()(const std::vector<Value>& x) const {
    return std::accumulate(layers.begin(), layers.end(), x, [](const std::vector<Value>& y, const Layer& layer) { return layer(y); });
}

std::vector<Value> Mlp::parameters() const { return joined(layers); }
