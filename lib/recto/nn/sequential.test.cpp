#include <recto/nn/sequential.hpp>

#include <cmath>

#include <recto/ops/indexing/index.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("Linear: parameters and what it computes", "[nn][devices][row:eq-fully-connected/b]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    const nn::Linear layer(3, 2, random, {.device = device}), plain(3, 2, random, {.bias = false, .device = device});
    CHECK(nn::count(layer) == 8);
    CHECK(nn::count(plain) == 6);
    CHECK(nn::parameters(plain).size() == 1);
    for (const double b : doubles(layer.bias)) CHECK(std::abs(b) <= 1 / std::sqrt(3.0));
    CHECK(nn::Linear(3, 2, random, {.weights = nn::he_init}).bias.values() == std::vector<Real>{0, 0});
    const Tensor x = random.normal({4, 3}, 0, 1, device);
    const std::vector<double> w = doubles(layer.weight), b = doubles(layer.bias), a = doubles(x);
    std::vector<double> want;
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 2; ++j)
            want.push_back(b[j] + a[3 * i] * w[3 * j] + a[3 * i + 1] * w[3 * j + 1] + a[3 * i + 2] * w[3 * j + 2]);
    CHECK(close(layer(x), want));
    CHECK_THROWS_WITH(nn::Linear(-1, 2, random), "Linear: wanted sizes of at least 0, got -1 in and 2 out");
}

TEST_CASE("Embedding: a vector for every token", "[nn][devices][row:sys-embedding/b][row:sys-embedding/c]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(4);
    const nn::Embedding layer(5, 3, random, {.deviation = 0.1, .device = device});
    CHECK(nn::count(layer) == 15);
    for (const double w : doubles(layer.weight)) CHECK(std::abs(w) <= 0.6);
    const Integers tokens({2, 2}, {4, 0, 4, 1}, device);
    const Tensor y = layer(tokens);
    CHECK(y.shape() == Shape{2, 2, 3});
    CHECK(same_bits(y, index_rows(layer.weight, tokens)));
    sum(y).backward();
    CHECK(layer.weight.grad().values() == std::vector<Real>{1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 2, 2, 2});
    CHECK_THROWS_WITH(layer(Integers({1}, {5}, device)), "index_rows: wanted labels from 0 to 4, got 5 at position 0");
    CHECK_THROWS_WITH(nn::Embedding(-1, 2, random), "Embedding: wanted sizes of at least 0, got -1 tokens of width 2");
}

TEST_CASE("PRelu: its slopes are parameters", "[nn][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(5);
    const nn::Sequential model(nn::Linear(3, 4, random, {.device = device}), nn::PRelu(4, 0.5, device), nn::Elu{2},
                               nn::Selu());
    CHECK(nn::count(model) == 20);
    CHECK(nn::parameters(model)[2].name == "1.weight");
    const Tensor x = random.normal({5, 3}, 0, 1, device);
    const Tensor halved = leaky_relu(std::get<0>(model.parts)(x), 0.5);
    CHECK(same_bits(model(x), selu(elu(halved, 2))));
    CHECK(nn::PRelu().weight.values() == std::vector<Real>{0.25});
}

TEST_CASE("Sequential: modules one after another", "[nn][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(2);
    const nn::LinearOptions here{.device = device};
    const nn::Sequential model(nn::Linear(3, 4, random, here), nn::Relu(), nn::Linear(4, 4, random, here), nn::Tanh(),
                               nn::Linear(4, 1, random, here), nn::Sigmoid());
    const Tensor x = random.normal({5, 3}, 0, 1, device);
    const auto& [first, r, second, t, third, s] = model.parts;
    CHECK(same_bits(model(x), sigmoid(third(tanh(second(relu(first(x))))))));
    std::vector<std::string> names;
    for (const NamedTensor& p : nn::parameters(model)) names.push_back(p.name);
    CHECK(names == std::vector<std::string>{"0.weight", "0.bias", "2.weight", "2.bias", "4.weight", "4.bias"});
}

TEST_CASE("Mlp: layers and activations between them", "[nn][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(3);
    const nn::Mlp model({784, 100, 10}, relu, random, {.device = device});
    CHECK(nn::count(model) == 784 * 100 + 100 + 100 * 10 + 10);
    const Tensor x = random.uniform({3, 784}, 0, 1, device);
    CHECK(same_bits(model(x), model.layers[1](relu(model.layers[0](x)))));
    CHECK(nn::parameters(model)[2].name == "layers.1.weight");
    const nn::Mlp line(std::vector<Index>{2, 1}, tanh, random);
    CHECK(line.layers.size() == 1);
    const nn::Mlp straight({2, 3, 1}, nullptr, random);
    CHECK(same_bits(straight(ones({4, 2})), straight.layers[1](straight.layers[0](ones({4, 2})))));
    CHECK_THROWS_WITH(nn::Mlp({3}, relu, random), "Mlp: wanted at least an input and an output size, got 1 sizes");
}
