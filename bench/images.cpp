#include "bench.hpp"

#include <recto/nn/conv.hpp>

#include <memory>

#include <recto/nn/norm.hpp>
#include <recto/nn/pool.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/optim/sgd.hpp>

#include "training.hpp"

namespace RECTO::bench {
namespace {

/// The network of Figure 5.2: two convolutions, each with pooling and relu, then two fully connected layers.
auto lenet(Generator& random, Device device) {
    return nn::Sequential(nn::Conv2d(1, 32, 5, random, {.device = device}), nn::MaxPool2d{3}, nn::Relu(),
                          nn::Conv2d(32, 64, 5, random, {.device = device}), nn::MaxPool2d{2}, nn::Relu(),
                          nn::Flatten(), nn::Linear(256, 200, random, {.device = device}), nn::Relu(),
                          nn::Linear(200, 10, random, {.device = device}));
}

/// Two convolutions with normalisation and a skip connection.
struct Block {
    nn::Conv2d first, second;
    nn::BatchNorm first_norm, second_norm;

    Block(Index channels, Generator& random, Device device)
        : first(channels, channels, 3, random, {.padding = 1, .device = device}),
          second(channels, channels, 3, random, {.padding = 1, .device = device}),
          first_norm(channels, {.device = device}),
          second_norm(channels, {.device = device}) {}

    Tensor operator()(const Tensor& x) const { return second_norm.relu(second(first_norm.relu(first(x))), x); }
    void visit(auto&& part) {
        part("first", first), part("first_norm", first_norm), part("second", second), part("second_norm", second_norm);
    }
};

/// Four such blocks of 16 channels on 28 x 28 pixels.
struct ResNet {
    nn::Conv2d enter;
    std::vector<Block> blocks;
    nn::Linear leave;

    ResNet(Generator& random, Device device)
        : enter(1, 16, 1, random, {.device = device}), leave(16, 10, random, {.device = device}) {
        for (int i = 0; i < 4; ++i) blocks.emplace_back(16, random, device);
    }
    Tensor operator()(const Tensor& x) const {
        Tensor h = relu(enter(x));
        for (const Block& block : blocks) h = block(h);
        return leave(mean(h, {2, 3}));
    }
    void visit(auto&& part) { part("enter", enter), part("blocks", blocks), part("leave", leave); }
};
ResNet resnet(Generator& random, Device device) { return ResNet(random, device); }

/// Training on mini-batches of 2048 images of 28 x 28 noise, in their order.
/// @param forward, first  floating-point operations for one image: forward, and the part of them without gradients
template <class Model>
Ready training(const Setting& setting, Model (*make)(Generator&, Device), Index batch, double forward, double first) {
    struct State {
        Generator random{1};
        Model model;
        optim::Sgd optimiser;
        Tensor x;
        Integers labels;

        State(Device device, Model (*make)(Generator&, Device))
            : model(make(random, device)),
              optimiser(nn::parameters(model), {.lr = 0.05}),
              x(random.normal({2048, 1, 28, 28}, 0, 1, device)),
              labels(random.integers({2048}, 0, 10, device)) {}
    };
    const auto loss = [](State& s, const Tensor& x, const Integers& labels) {
        return cross_entropy(s.model(x), labels);
    };
    return {train(setting, std::make_shared<State>(setting.device, make), batch, loss), double(batch),
            double(batch) * (3 * forward - first), setting.captured};
}

}  // namespace

std::vector<Workload> image_networks() {
    // Floating-point operations for one image; the first layer of LeNet computes no gradient of the images.
    const double first = 2. * 32 * 25 * 24 * 24, forward = first + 2. * (64 * 32 * 25 * 4 * 4 + 256 * 200 + 2000);
    const double blocks = 2. * (8 * 16 * 16 * 9 * 784 + 16 * 784 + 160);
    const auto batch = [](const Setting& s) { return Index(s.small ? 2 : 64); };
    return {
        {"lenet_lbdl_b64", "sample", [=](const Setting& s) { return training(s, lenet, batch(s), forward, first); }},
        {"resnet16x4_b64", "sample", [=](const Setting& s) { return training(s, resnet, batch(s), blocks, 0); }}};
}

}  // namespace RECTO::bench
