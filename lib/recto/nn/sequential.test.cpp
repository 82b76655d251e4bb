#include <recto/nn/sequential.hpp>

#include <algorithm>

#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

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

TEST_CASE("Sequential: modules one after another", "[nn][devices][row:sys-layer/d]") {
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

TEST_CASE("Flatten: one row for each example", "[nn]") {
    CHECK(nn::Flatten()(ones({2, 4, 7, 9})).shape() == Shape{2, 252});
}

TEST_CASE("Mlp: layers and activations between them", "[nn][devices][row:sys-mlp/c]") {
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

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
TEST_CASE("Mlp: its gradient agrees with differences", "[nn][gradient][row:sys-mlp/b]") {
    const auto make = [](Generator& random) {
        while (true) {  // until no unit is so near to its kink that a difference would cross it
            const nn::Mlp model({50, 25, 10, 2}, relu, random);
            const Tensor x = random.normal({1, 50});
            const Tensor first = model.layers[0](x), second = model.layers[1](relu(first));
            if (std::min(double(min(abs(first)).item()), double(min(abs(second)).item())) < 0.02) continue;
            Inputs inputs = {x};
            for (const NamedTensor& p : nn::parameters(model)) inputs.push_back(clone(p.tensor.detach()));
            return inputs;
        }
    };
    const auto apply = [](const Inputs& inputs) {
        Generator unused(0);
        nn::Mlp model({50, 25, 10, 2}, relu, unused);
        std::size_t next = 1;
        nn::walk("", model, [&](const std::string&, Tensor& t) { t = inputs[next++]; });
        return model(inputs[0]);
    };
    check_gradient(apply, make, 3);
}
TEST_CASE("Mlp: the loss of an autoencoder has the right gradient", "[nn][gradient][row:eq-autoencoder-loss/a]") {
    const auto model = [](const std::vector<Index>& sizes, const Inputs& inputs, std::size_t next) {
        Generator unused(0);
        nn::Mlp made(sizes, tanh, unused);
        nn::walk("", made, [&](const std::string&, Tensor& t) { t = inputs[next++]; });
        return made;
    };
    const std::vector<Index> narrowing = {9, 5, 2}, widening = {2, 5, 9};
    check_gradient(
        [&](const Inputs& inputs) {  // the signal, the encoder's four parameters, the decoder's four
            const nn::Mlp encoder = model(narrowing, inputs, 1), decoder = model(widening, inputs, 5);
            return mse_loss(decoder(encoder(inputs[0])), inputs[0]);
        },
        [&](Generator& random) {
            Inputs inputs = {random.normal({4, 9})};
            for (const auto& sizes : {narrowing, widening})
                for (const NamedTensor& p : nn::parameters(nn::Mlp(sizes, tanh, random)))
                    inputs.push_back(clone(p.tensor.detach()));
            return inputs;
        },
        3);
}
#endif
