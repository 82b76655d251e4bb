#include <recto/nn/module.hpp>

#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
/// A residual block: a module inside a module, a range of modules, and a tensor that is not trained.
struct Block {
    nn::Linear in, out;
    Block(Index width, Generator& random)
        : in(width, 2 * width, random), out(2 * width, width, random, {.bias = false}) {}
    Tensor operator()(const Tensor& x) const { return add(x, out(tanh(in(x)))); }
    void visit(auto&& part) { part("in", in), part("out", out); }
};
struct Net {
    Tensor scale;
    std::vector<Block> blocks;
    nn::Linear head;
    explicit Net(Generator& random, Device device = Device::cpu) : scale(ones({1})), head(3, 2, random) {
        for (int i = 0; i < 2; ++i) blocks.emplace_back(3, random);
        nn::to(*this, device);
    }
    Tensor operator()(Tensor x) const {
        x = mul(x, scale);
        for (const Block& block : blocks) x = block(x);
        return head(x);
    }
    void visit(auto&& part) { part("scale", scale), part("blocks", blocks), part("head", head); }
};
/// A module with an untrained tensor and a layer.
struct Normed {
    Tensor mean;
    nn::Linear layer;
    void visit(auto&& part) { part("mean", mean), part("layer", layer); }
};
/// The same tensor in two places.
struct Tied {
    Tensor embedding, head;
    void visit(auto&& part) { part("embedding", embedding), part("head", head); }
};
}  // namespace

TEST_CASE("module: names, shapes and counts of a nested model", "[nn][row:sys-parametric-model/a]") {
    Generator random(1);
    const Net net(random);
    const std::vector<std::pair<std::string, Shape>> want = {
        {"blocks.0.in.weight", {6, 3}}, {"blocks.0.in.bias", {6}}, {"blocks.0.out.weight", {3, 6}},
        {"blocks.1.in.weight", {6, 3}}, {"blocks.1.in.bias", {6}}, {"blocks.1.out.weight", {3, 6}},
        {"head.weight", {2, 3}},        {"head.bias", {2}}};
    const NamedTensors got = nn::parameters(net);
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
        CHECK(got[i].name == want[i].first);
        CHECK(got[i].tensor.shape() == want[i].second);
    }
    CHECK(nn::count(net) == 2 * (18 + 6 + 18) + 6 + 2);
    CHECK(nn::state(net).size() == want.size() + 1);  // `scale` is part of the state but not trained
    CHECK(nn::state(net)[0].name == "scale");
}

TEST_CASE("module: a composed model is the composition of its functions", "[nn][devices][row:sys-parametric-model/c]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(2);
    const Net net(random, device);
    const Tensor x = random.normal({5, 3}, 0, 1, device);
    const auto block = [&](const Tensor& t, const Block& b) { return add(t, b.out(tanh(b.in(t)))); };
    CHECK(same_bits(net(x), net.head(block(block(mul(x, net.scale), net.blocks[0]), net.blocks[1]))));
}

TEST_CASE("module: summary", "[nn]") {
    Generator random(3);
    const Normed small{zeros({3}), nn::Linear(3, 2, random)};
    CHECK(nn::summary(small) ==
          "mean          (3)              3  not trained\n"
          "layer.weight  (2, 3)           6\n"
          "layer.bias    (2)              2\n"
          "total                         11\n");
}

TEST_CASE("module: to and clone", "[nn][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(4);
    nn::Linear layer(3, 2, random), same = layer, own = nn::clone(layer);
    const std::vector<Real> before = layer.weight.values();
    nn::to(own, device);
    CHECK(own.weight.device() == device);
    CHECK(own.weight.values() == before);
    CHECK(own.weight.requires_grad());
    layer.weight.set({0, 0}, 7);
    CHECK(same.weight.at({0, 0}) == 7);    // a copy shares its elements
    CHECK(own.weight.values() == before);  // a clone has its own
}

TEST_CASE("module: tied weights are one parameter, and stay tied", "[nn][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor shared = ones({3, 2}).requires_grad_();
    Tied model{shared, shared};
    CHECK(nn::state(model).size() == 2);
    const NamedTensors once = nn::parameters(model);
    REQUIRE(once.size() == 1);
    CHECK(once[0].name == "embedding");
    CHECK(nn::count(model) == 6);
    CHECK(nn::summary(model) ==
          "embedding  (3, 2)           6\n"
          "head       (3, 2)           6  the same as embedding\n"
          "total                       6\n");
    const Tied own = nn::clone(model);
    CHECK_FALSE(same_tensor(own.head, model.head));
    CHECK(same_tensor(own.head, own.embedding));
    CHECK(own.head.requires_grad());
    nn::to(model, device);
    CHECK(model.head.device() == device);
    CHECK(same_tensor(model.head, model.embedding));
    const auto leaf = model.head.node();
    nn::to(model, device);  // nothing to move: an optimiser's handles still refer to the model's tensors
    CHECK(model.head.node() == leaf);
    CHECK(model.head.requires_grad());
    CHECK(same_tensor(model.head, model.embedding));

    const Tensor plain = ones({4});  // two tensors with the same values, but not tied
    CHECK(nn::count(Tied{plain, plain.view({2}, {1}, 0)}) == 0);
    CHECK(nn::count(nn::state(Tied{plain, plain.view({2, 2}, {2, 1}, 0)})) == 8);
}

TEST_CASE("module: assign changes all or nothing", "[nn]") {
    Generator random(5);
    const nn::Mlp model({3, 4, 2}, relu, random);
    const std::vector<Real> before = model.layers[0].weight.values();
    NamedTensors other = nn::state(nn::Mlp({3, 4, 2}, relu, random));
    const NamedTensors good = other;
    other[3].tensor = zeros({3});
    CHECK_THROWS_WITH(nn::assign(nn::state(model), other),
                      "assign: wanted 'layers.1.bias' of shape (2), got shape (3)");
    other[3].name = "layers.1.bios";
    CHECK_THROWS_WITH(nn::assign(nn::state(model), other),
                      "assign: wanted a tensor 'layers.1.bias' of shape (2), got none of that name");
    other = good;
    other.push_back({"more", zeros({1})});
    CHECK_THROWS_WITH(nn::assign(nn::state(model), other), "assign: wanted 4 tensors, got 5");
    CHECK(model.layers[0].weight.values() == before);
    nn::assign(nn::state(model), good);
    CHECK(same_bits(model.layers[0].weight, good[0].tensor));
    CHECK(model.layers[0].weight.requires_grad());
}
