#include <recto/nn/lenet.hpp>

#include <recto/nn/layer.hpp>
#include <recto/nn/small_resnet.hpp>
#include <recto/nn/vision_transformer.hpp>
#include <recto/ops/losses/cross_entropy.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/same_on_device.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("LeNet: the list of its layers computes the same", "[nn][lenet][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    const nn::LeNet net(random, device);
    CHECK(nn::count(net) == 105'506);
    Tensor x = random.normal({3, 1, 28, 28}, 0, 1, device);
    const Tensor got = net(x);
    CHECK(got.shape() == Shape{3, 10});
    for (const nn::Layer& layer :
         std::vector<nn::Layer>{net.first, nn::MaxPool2d{3}, nn::Relu(), net.second, nn::MaxPool2d{2}, nn::Relu(),
                                nn::Flatten(), net.hidden, nn::Relu(), net.head})
        x = layer(x);
    CHECK(same_bits(got, x));
}

TEST_CASE("LeNet: the network of images of clothes agrees with the CPU on every device, forward and backward",
          "[nn][lenet][devices][row:sys-image-classification/f][row:ex-tp5-convnets-fmnist/d]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(2);
    check_same_on(device, nn::LeNet(random), random.normal({4, 1, 28, 28}));
}

TEST_CASE("image classification: a residual network and a vision transformer agree with the CPU on every device",
          "[nn][lenet][devices][row:sys-image-classification/f]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(3);
    check_same_on(device, nn::SmallResNet({.blocks = 1, .widths = {4, 6, 8}, .stride = 2, .channels = 1}, random),
                  random.normal({4, 1, 28, 28}));
    check_same_on(
        device,
        nn::VisionTransformer(
            {.side = 28, .patch = 7, .channels = 1, .layers = 1, .width = 8, .heads = 2, .classes = 10}, random),
        random.normal({3, 1, 28, 28}));
}

TEST_CASE("image classification: the gradient of the loss agrees with the CPU on every device",
          "[nn][lenet][devices][row:sys-image-classification/f][row:ex-tp5-convnets-fmnist/d]") {
    const Device device = GENERATE(from_range(devices()));
    const auto gradients = [](Device where) {
        Generator random(4);
        nn::LeNet net(random);
        nn::to(net, where);
        const Tensor x = random.normal({5, 1, 28, 28}).to(where);
        const Integers labels = Integers({5}, {3, 0, 9, 9, 1}).to(where);
        cross_entropy(net(x), labels).backward();
        std::vector<Tensor> found;
        for (const NamedTensor& p : nn::parameters(net)) found.push_back(p.tensor.grad().to(Device::cpu));
        return found;
    };
    const std::vector<Tensor> got = gradients(device), want = gradients(Device::cpu);
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(close(got[i], doubles(want[i]), 50 * usual));
}
