#include <recto/nn/conv.hpp>

#include <cmath>

#include <recto/nn/pool.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("nn: convolutions have the shapes of their operations",
          "[nn][conv][devices][row:sys-conv2d/b][row:sys-dilation/b]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    const Tensor images = random.normal({2, 4, 7, 9}, 0, 1, device), series = random.normal({2, 4, 20}, 0, 1, device);

    const nn::Conv2d conv(4, 6, {3, 2}, random, {.stride = 2, .padding = {1, 0}, .groups = 2, .device = device});
    CHECK(conv.weight.shape() == Shape{6, 2, 3, 2});
    CHECK(nn::count(nn::Conv2d(4, 6, {3, 2}, random)) == 6 * (4 * 3 * 2 + 1));
    CHECK(nn::count(nn::Conv2d(4, 6, {3, 2}, random, {.dilation = 3})) == 6 * (4 * 3 * 2 + 1));
    CHECK(conv(images).shape() == Shape{2, 6, 4, 4});
    CHECK(
        same_bits(conv(images), conv2d(images, conv.weight, conv.bias, {.stride = 2, .padding = {1, 0}, .groups = 2})));

    const nn::Conv1d line(4, 3, 5, random, {.padding = 4, .dilation = 2, .bias = false, .device = device});
    CHECK(line.weight.shape() == Shape{3, 4, 5});
    CHECK_FALSE(line.bias.defined());
    CHECK(line(series).shape() == Shape{2, 3, 20});

    const nn::ConvTranspose2d back(4, 2, 3, random, {.stride = 2, .padding = 1, .output_padding = 1, .device = device});
    CHECK(back.weight.shape() == Shape{4, 2, 3, 3});
    CHECK(back(images).shape() == Shape{2, 2, 14, 18});
}

TEST_CASE("nn: convolutions start as in PyTorch", "[nn][conv]") {
    Generator random(2);
    const nn::Conv2d conv(8, 64, 5, random);  // uniform on +- 1 / sqrt(8 * 25)
    const double bound = 1 / std::sqrt(200.0);
    double square = 0;
    for (const double w : doubles(conv.weight)) {
        CHECK_FALSE(std::abs(w) > bound);
        square += w * w;
    }
    CHECK(std::abs(square / double(conv.weight.numel()) / (bound * bound / 3) - 1) < 0.05);
    for (const double b : doubles(conv.bias)) CHECK_FALSE(std::abs(b) > bound);
    CHECK(max(conv.bias).item() > 0);
    const nn::Conv2d he(8, 4, 3, random, {.weights = nn::he_init});
    CHECK(he.bias.values() == std::vector<Real>(4));
}

TEST_CASE("nn: a convolutional network names its parts and hands back gradients", "[nn][conv]") {
    Generator random(3);
    nn::Sequential net(nn::Conv2d(1, 4, 5, random), nn::MaxPool2d{2}, nn::Relu(), nn::Conv2d(4, 8, 3, random),
                       nn::Relu(), nn::Flatten(), nn::Linear(32, 3, random));
    const Tensor x = random.normal({5, 1, 12, 12});
    CHECK(net(x).shape() == Shape{5, 3});
    const NamedTensors found = nn::parameters(net);
    std::vector<std::string> names;
    for (const auto& [name, tensor] : found) names.push_back(name);
    CHECK(names == std::vector<std::string>{"0.weight", "0.bias", "3.weight", "3.bias", "6.weight", "6.bias"});
    CHECK(nn::count(net) == 4 * 25 + 4 + 8 * 4 * 9 + 8 + 32 * 3 + 3);
    sum(net(x)).backward();
    for (const auto& [name, tensor] : found) {
        CAPTURE(name);
        CHECK(tensor.grad().shape() == tensor.shape());
    }
}

TEST_CASE("nn: convolutions refuse", "[nn][conv]") {
    Generator random(4);
    CHECK_THROWS_WITH(nn::Conv2d(0, 4, 3, random), "Conv2d: wanted at least one channel, got 0 in and 4 out");
    CHECK_THROWS_WITH(nn::Conv1d(4, 6, 3, random, {.groups = 4}),
                      "Conv1d: 4 groups do not divide 4 channels in and 6 out");
    CHECK_THROWS_WITH(nn::ConvTranspose2d(4, 4, {3, 0}, random),
                      "ConvTranspose2d: wanted a kernel of at least 1, got shape (3, 0)");
    CHECK_THROWS_WITH(nn::Conv1d(1, 1, 3, random, {.dilation = {1, 2}}),
                      "Conv1d: wanted one dilation for a series, got (1, 2)");
    CHECK_THROWS_WITH(nn::Conv2d(1, 1, 3, random, {.stride = {1, 0}}),
                      "Conv2d: wanted a stride of at least 1, got (1, 0)");
    CHECK_THROWS_WITH(
        nn::Conv2d(1, 1, 3, random, {.output_padding = 1}),
        "Conv2d: wanted an output padding of 0, as in every convolution that is not transposed, got (1, 1)");
}
