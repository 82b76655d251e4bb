/// Whole convolutional networks, made of the layers of this folder, on every device.
#include <recto/nn/layer.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

using Layers = std::vector<nn::Layer>;

Tensor run(const Layers& layers, Tensor x) {
    for (const nn::Layer& layer : layers) x = layer(x);
    return x;
}

/// Convolutions and pooling; 2 places of 6 channels along each side are left of 14 pixels.
Layers trunk(Generator& random, Device device) {
    return {nn::Conv2d(1, 4, 3, random, {.device = device}), nn::MaxPool2d{2}, nn::Relu(),
            nn::Conv2d(4, 6, 3, random, {.device = device}), nn::MaxPool2d{2}, nn::Relu()};
}

/// The result and the gradients of all parameters, on the CPU.
std::vector<Tensor> result_and_gradients(const Layers& layers, const Tensor& x, const auto& loss) {
    const Tensor y = run(layers, x);
    loss(y).backward();
    std::vector<Tensor> found = {y.detach().to(Device::cpu)};
    for (const NamedTensor& t : nn::parameters(layers)) found.push_back(t.tensor.grad().to(Device::cpu));
    return found;
}

/// Both lists hold the same numbers.
void check_close(const std::vector<Tensor>& got, const std::vector<Tensor>& want) {
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(close(got[i], doubles(want[i]), 1e-4));
}

}  // namespace

TEST_CASE("convnet: LeNet's result and gradients on every device", "[nn][convnet][devices][row:sys-lenet/g]") {
    const Device device = GENERATE(from_range(devices()));
    const auto on = [](Device where) {
        Generator random(1);
        Layers layers = trunk(random, where);
        for (const nn::Layer& layer : Layers{nn::Flatten(), nn::Linear(24, 5, random, {.device = where}), nn::Relu(),
                                             nn::Linear(5, 3, random, {.device = where})})
            layers.push_back(layer);
        const Tensor x = random.normal({3, 1, 14, 14}, 0, 1, where);
        const Integers labels({3}, {2, 0, 1}, where);
        return result_and_gradients(layers, x, [&](const Tensor& y) { return cross_entropy(y, labels); });
    };
    check_close(on(device), on(Device::cpu));
}

TEST_CASE("convnet: a dense-map head on every device", "[nn][convnet][devices][row:sys-convnet/c]") {
    const Device device = GENERATE(from_range(devices()));
    const auto on = [](Device where) {
        Generator random(2);
        Layers layers = trunk(random, where);
        layers.push_back(nn::Conv2d(6, 3, 2, random, {.device = where}));
        const Tensor x = random.normal({2, 1, 22, 18}, 0, 1, where);
        const Integers labels = random.integers({2, 3, 2}, 0, 3, where);
        return result_and_gradients(layers, x, [&](const Tensor& y) {
            return cross_entropy(permute(y, {0, 2, 3, 1}), labels);
        });
    };
    check_close(on(device), on(Device::cpu));
}

TEST_CASE("convnet: two convolutions of 3 x 3 and a pooling on every device",
          "[nn][convnet][devices][row:sys-conv-block/c]") {
    const Device device = GENERATE(from_range(devices()));
    const auto on = [](Device where) {
        Generator random(3);
        const Layers layers = {nn::Conv2d(2, 4, 3, random, {.padding = 1, .device = where}), nn::Relu(),
                               nn::Conv2d(4, 4, 3, random, {.padding = 1, .device = where}), nn::Relu(),
                               nn::MaxPool2d{2}};
        const Tensor x = random.normal({2, 2, 6, 8}, 0, 1, where), weights = random.normal({2, 4, 3, 4}, 0, 1, where);
        return result_and_gradients(layers, x, [&](const Tensor& y) { return sum(y * weights); });
    };
    check_close(on(device), on(Device::cpu));
}
