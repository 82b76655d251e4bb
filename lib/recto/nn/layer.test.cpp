#include <recto/nn/layer.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include <unistd.h>

#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("layer: every kind has an example, in order", "[nn]") {
    Generator random(1);
    const auto examples = nn::layer_examples(random);
    REQUIRE(examples.size() == std::variant_size_v<nn::Layer::Kind>);
    std::set<std::string> names;
    for (std::size_t i = 0; i < examples.size(); ++i) {
        CHECK(examples[i].layer.kind.index() == i);
        names.insert(examples[i].layer.name());
    }
    CHECK(names.size() == examples.size());
    CHECK(nn::Layer(nn::Relu()).name() == "Relu");
    CHECK(nn::Layer(nn::Gru(2, 2, random)).name() == "Gru");
    CHECK(nn::state(nn::Layer(nn::Linear(2, 3, random)))[0].name == "Linear.weight");
}

TEST_CASE("layer: the inferred shape is that of the result", "[nn]") {
    Generator random(2);
    for (int draw = 0; draw < 20; ++draw)
        for (const auto& [layer, input] : nn::layer_examples(random)) {
            CAPTURE(draw, layer.name(), input);
            CHECK(layer.result_shape(input) == layer(random.normal(input)).shape());
        }
    CHECK_THROWS_WITH(nn::Layer(nn::Linear(7, 2, random)).result_shape({4, 6}),
                      "Linear: wanted an extent of 7 along axis -1, got an input of shape (4, 6)");
    CHECK_THROWS_WITH(nn::Layer(nn::Conv2d(1, 1, 3, random)).result_shape({1, 1, 2, 5}),
                      "Conv2d: a window that spans 3 does not fit into 2 with a padding of 0");
}

TEST_CASE("layer: saved and restored without loss", "[nn][row:sys-layer/c]") {
    Generator random(3), other(4);
    const std::string path = fmt::format("/tmp/recto-layer-{}.safetensors", ::getpid());
    const auto examples = nn::layer_examples(random);
    for (const auto& [layer, input] : examples) {
        CAPTURE(layer.name());
        nn::Layer restored = nn::clone(layer);
        nn::replace(restored, [&](const Tensor& t) { return other.normal(t.shape()); });
        nn::save(path, layer);
        nn::load(path, restored);
        const NamedTensors before = nn::state(layer), after = nn::state(restored);
        REQUIRE(after.size() == before.size());
        for (std::size_t i = 0; i < before.size(); ++i) {
            CHECK(after[i].name == before[i].name);
            CHECK(same_bits(after[i].tensor, before[i].tensor));
        }
        nn::Layer mine = layer;
        nn::set_training(mine, false), nn::set_training(restored, false);
        const Tensor x = random.normal(input);
        CHECK(same_bits(restored(x), mine(x)));
    }
    std::remove(path.c_str());
}

#if defined(RECTO_REAL_IS_DOUBLE) || defined(RECTO_SANITIZED)
namespace {
/// Numbers with gaps between them and around 0, where several layers have a kink.
Tensor spaced(const Shape& shape, Generator& random) {
    const std::vector<Index> order = random.permutation(shape.numel());
    std::vector<Real> values;
    for (const Index i : order) values.push_back(Real(0.05 * (double(i) + 0.5 - double(shape.numel() / 2))));
    return Tensor(shape, values);
}
/// All tensors of a layer in their order, trained or not.
std::vector<Tensor> tensors(const nn::Layer& layer) {
    std::vector<Tensor> found;
    for (const NamedTensor& t : nn::state(layer)) found.push_back(t.tensor);
    return found;
}
}  // namespace

TEST_CASE("layer: gradients of every kind", "[nn][gradient][row:sys-layer/b][row:eq-backward-parameters/a]") {
    for (std::size_t kind = 0; kind < std::variant_size_v<nn::Layer::Kind>; ++kind) {
        std::shared_ptr<nn::Layer> layer;  // of the current case
        const auto make = [&](Generator& random) {
            const nn::LayerExample one = nn::layer_examples(random)[kind];
            layer = std::make_shared<nn::Layer>(one.layer);
            if (layer->name().find("Dropout") != std::string::npos) nn::set_training(*layer, false);
            CAPTURE(layer->name());
            Inputs inputs = tensors(*layer);
            std::erase_if(inputs, [](const Tensor& t) { return !t.requires_grad(); });
            for (Tensor& t : inputs) t = clone(t.detach());
            inputs.push_back(spaced(one.input, random));
            return inputs;
        };
        const auto apply = [&](const Inputs& inputs) {
            nn::Layer made = *layer;
            nn::to(made, inputs.back().device());
            std::size_t next = 0;
            nn::walk("", made, [&](const std::string&, Tensor& t) {
                if (t.requires_grad()) t = inputs[next++];
            });
            return made(inputs.back());
        };
        check_gradient(apply, make, 3);
    }
}
#endif
