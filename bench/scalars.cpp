#include "bench.hpp"

#include <array>
#include <memory>

#include <recto/autograd/value.hpp>
#include <recto/core/random.hpp>

namespace RECTO::bench {
namespace {

/// micrograd's network of neurons, with a node for every scalar.
struct Network {
    struct Neuron {
        std::vector<Value> weights;
        Value bias;
    };
    std::vector<std::vector<Neuron>> layers;

    explicit Network(Generator& random) {
        for (const auto& [in, out] : {std::pair(3, 4), std::pair(4, 4), std::pair(4, 1)}) {
            layers.emplace_back();
            for (int k = 0; k < out; ++k) {
                Neuron neuron;
                for (int i = 0; i < in; ++i) neuron.weights.emplace_back(2 * random.next_uniform() - 1);
                neuron.bias = Value(2 * random.next_uniform() - 1);
                layers.back().push_back(neuron);
            }
        }
    }
    Value operator()(std::vector<Value> x) const {
        for (const std::vector<Neuron>& layer : layers) {
            std::vector<Value> y;
            for (const Neuron& neuron : layer) {
                Value total = neuron.bias;
                for (std::size_t i = 0; i < x.size(); ++i) total += neuron.weights[i] * x[i];
                y.push_back(tanh(total));
            }
            x = std::move(y);
        }
        return x[0];
    }
    void descend(double rate) {
        const auto step = [rate](Value& w) {
            w.set(w.data() - rate * w.grad());
            w.zero_grad();
        };
        for (std::vector<Neuron>& layer : layers)
            for (Neuron& neuron : layer) {
                for (Value& w : neuron.weights) step(w);
                step(neuron.bias);
            }
    }
};

Ready tiny(const Setting& setting) {
    check(setting.device == Device::cpu, "bench: single numbers are on the cpu only, got {}", setting.device);
    Generator random(1);
    const auto network = std::make_shared<Network>(random);
    return {[network] {
        constexpr double x[4][3] = {{2, 3, -1}, {3, -1, 0.5}, {0.5, 1, 1}, {1, 1, -1}};
        constexpr double y[4] = {1, -1, -1, 1};
        Value loss = 0;
        for (std::size_t n = 0; n < 4; ++n) {
            const Value off = (*network)({x[n][0], x[n][1], x[n][2]}) - y[n];
            loss += off * off;
        }
        loss.backward();
        network->descend(0.05);
    }};
}

}  // namespace

std::vector<Workload> scalars() {
    return {{"tiny_scalar_mlp_3_4_4_1", "step", tiny, "single numbers are on the cpu only"}};
}

}  // namespace RECTO::bench
