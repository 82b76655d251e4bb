#include "bench.hpp"

#include <recto/autograd/tape.hpp>

#include <memory>

#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/sgd.hpp>

#include "training.hpp"

namespace RECTO::bench {
namespace {

/// 784-256-128-10 with relu, cross-entropy and plain gradient descent, on mini-batches in their order.
Ready mlp(const Setting& setting, Index batch, bool training) {
    struct State {
        Generator random{1};
        nn::Mlp model;
        optim::Sgd optimiser;
        Tensor x;
        Integers labels;

        explicit State(Device device)
            : model({784, 256, 128, 10}, relu, random, {.device = device}),
              optimiser(nn::parameters(model), {.lr = 0.1}),
              x(random.normal({8192, 784}, 0, 1, device)),
              labels(random.integers({8192}, 0, 10, device)) {}
    };
    const auto state = std::make_shared<State>(setting.device);
    const double forward = 2. * double(batch) * (784 * 256 + 256 * 128 + 128 * 10);
    if (!training)
        return {[state, batch] {
                    const NoGrad off;
                    (void)state->model(slice(state->x, 0, 0, batch));
                },
                double(batch), forward};
    const auto loss = [](State& s, const Tensor& x, const Integers& labels) {
        return cross_entropy(s.model(x), labels);
    };
    return {train(setting, state, batch, loss), double(batch), 3 * forward - 2. * double(batch) * 784 * 256,
            setting.captured};  // the data require no gradient
}

/// micrograd's network, 3-4-4-1 with tanh on four examples: mostly overhead, little arithmetic.
Ready tiny(const Setting& setting) {
    struct State {
        Generator random{1};
        nn::Mlp model;
        optim::Sgd optimiser;
        Tensor x, y;

        explicit State(Device device)
            : model({3, 4, 4, 1}, tanh, random, {.device = device}),
              optimiser(nn::parameters(model), {.lr = 0.05}),
              x({4, 3}, {2, 3, -1, 3, -1, 0.5, 0.5, 1, 1, 1, 1, -1}, device),
              y({4, 1}, {1, -1, -1, 1}, device) {}
    };
    const auto state = std::make_shared<State>(setting.device);
    const auto step = [state] {
        InPhases optimiser(state->optimiser);
        return optim::train_step(optimiser, [&] { return sum(square(tanh(state->model(state->x)) - state->y)); });
    };
    if (!setting.captured) return {step};
    const auto captured = std::make_shared<Captured>(setting.device, step);
    return {[captured] { captured->replay(); }, 1, 0, true};
}

}  // namespace

std::vector<Workload> perceptrons() {
    std::vector<Workload> all;
    for (const Index batch : {64, 256})
        for (const bool training : {true, false})
            all.push_back({fmt::format("mlp_784_256_128_10_{}b{}", training ? "" : "infer_", batch), "sample",
                           [=](const Setting& s) { return mlp(s, s.small ? 4 : batch, training); }});
    all.push_back({"tiny_tensor_mlp_3_4_4_1", "step", tiny});
    return all;
}

}  // namespace RECTO::bench
