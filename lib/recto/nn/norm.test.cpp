#include <recto/nn/norm.hpp>

#include <cmath>

#include <recto/nn/regularise.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
std::vector<std::string> names(const NamedTensors& tensors) {
    std::vector<std::string> found;
    for (const NamedTensor& t : tensors) found.push_back(t.name);
    return found;
}
}  // namespace

TEST_CASE("norm: modules are their operations", "[nn][norm][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const Tensor x = Generator(1).normal({5, 4, 3}, 1, 2, device);
    const nn::NormOptions here{.eps = 0.1, .device = device};
    const nn::LayerNorm layer({4, 3}, here);
    CHECK(same_bits(layer(x), layer_norm(x, 2, ones({4, 3}, device), zeros({4, 3}, device), 0.1)));
    CHECK(names(nn::parameters(layer)) == std::vector<std::string>{"weight", "bias"});
    const nn::RmsNorm rms({3}, here);
    CHECK(same_bits(rms(x), rms_norm(x, 1, ones({3}, device), 0.1)));
    CHECK(nn::count(rms) == 3);
    const nn::GroupNorm group(2, 4, here);
    CHECK(same_bits(group(x), group_norm(x, 2, ones({4}, device), zeros({4}, device), 0.1)));
    const nn::BatchNorm batch(4, here);
    CHECK(same_bits(batch(x), batch_norm(x, ones({4}, device), zeros({4}, device), Tensor(), Tensor(), {.eps = 0.1})));
    CHECK(nn::count(batch) == 8);
    const nn::BatchNorm fresh(4, here);
    CHECK(fresh.running_mean.values() == std::vector<Real>(4, 0));
    CHECK(fresh.running_variance.values() == std::vector<Real>(4, 1));
    CHECK(names(nn::state(batch)) == std::vector<std::string>{"weight", "bias", "running_mean", "running_variance"});
    const nn::NormOptions plain{.affine = false, .device = device};
    CHECK(nn::count(nn::LayerNorm({3}, plain)) + nn::count(nn::RmsNorm({3}, plain)) +
              nn::count(nn::GroupNorm(2, 4, plain)) + nn::count(nn::BatchNorm(4, plain)) ==
          0);
    CHECK(same_bits(nn::BatchNorm(4, plain)(x), batch_norm(x, Tensor(), Tensor(), Tensor(), Tensor())));
}

TEST_CASE("norm: training and evaluation of a model", "[nn][norm][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(2), noise(3);
    nn::Sequential model(nn::Linear(3, 4, random, {.device = device}), nn::BatchNorm(4, {.device = device}), nn::Gelu(),
                         nn::Dropout(0.5, noise), nn::SpatialDropout(0.5, noise), nn::LeakyRelu(), nn::Silu());
    const Tensor x = random.normal({20, 3}, 0, 1, device);
    CHECK_FALSE(same_bits(model(x), model(x)));
    CHECK(noise.calls() == 4);
    const std::vector<Real> moved = std::get<1>(model.parts).running_mean.values();
    CHECK(moved != std::vector<Real>(4, 0));
    nn::set_training(model, false);
    CHECK(same_bits(model(x), model(x)));
    CHECK(noise.calls() == 4);
    CHECK(std::get<1>(model.parts).running_mean.values() == moved);
    nn::set_training(model, true);
    CHECK_FALSE(same_bits(model(x), model(x)));
    // A range of modules.
    std::vector<nn::BatchNorm> many(3, nn::BatchNorm(2));
    nn::set_training(many, false);
    for (const nn::BatchNorm& one : many) CHECK_FALSE(one.training);
    // A clone has its own running statistics.
    const auto other = nn::clone(model);
    other(x);
    CHECK(std::get<1>(model.parts).running_mean.values() != std::get<1>(other.parts).running_mean.values());
}

TEST_CASE("norm: messages", "[nn][norm]") {
    CHECK_THROWS_WITH(nn::LayerNorm(Shape{}), "LayerNorm: wanted the extents of a sample, got shape ()");
    CHECK_THROWS_WITH(nn::RmsNorm(Shape{}), "RmsNorm: wanted the extents of a sample, got shape ()");
    CHECK_THROWS_WITH(nn::GroupNorm(2, 3), "GroupNorm: wanted a number of groups that divides 3 channels, got 2");
    CHECK_THROWS_WITH(nn::BatchNorm(-1), "BatchNorm: wanted a number of channels of at least 0, got -1");
}
