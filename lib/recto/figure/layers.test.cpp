#include <recto/figure/layers.hpp>

#include <tuple>

#include <catch2/catch_test_macros.hpp>

#include <recto/nn/attention.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/pool.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>

using namespace recto;
using figure::LayerColumn, figure::layer_column, figure::layer_diagram;

namespace {
/// A block with attention and a skip connection, three times; `leak` adds the first block's result at the end.
struct Block {
    nn::LayerNorm norm;
    nn::MultiHeadAttention attention;
    Tensor operator()(const Tensor& x) const { return add(x, attention(norm(x))); }
    void visit(auto&& part) { part("norm", norm), part("attention", attention); }
};
struct Blocks {
    nn::Linear enter;
    std::vector<Block> blocks;
    bool leak = false;
    explicit Blocks(Generator& random) : enter(3, 4, random) {
        for (int i = 0; i < 3; ++i) blocks.push_back({nn::LayerNorm({4}), nn::MultiHeadAttention(4, 2, random)});
    }
    Tensor operator()(Tensor x) const {
        x = enter(x);
        Tensor early;
        for (const Block& block : blocks) {
            x = block(x);
            if (!early.defined()) early = x;
        }
        return leak ? add(x, early) : x;
    }
    void visit(auto&& part) { part("enter", enter), part("blocks", blocks); }
};
}  // namespace

TEST_CASE("layers: copies of layers become one group", "[figure][diagram][row:sys-diagram-conventions/c]") {
    Generator random(1);
    const nn::Mlp model({6, 4, 4, 4, 2}, relu, random);
    const LayerColumn column = layer_column(nn::tape_of(model, zeros({5, 6})));
    REQUIRE(column.boxes.size() == 5);  // linear, relu, then linear and relu twice, linear
    REQUIRE(column.groups.size() == 1);
    CHECK(column.groups[0].first == 2);
    CHECK(column.groups[0].boxes == 2);
    CHECK(column.groups[0].times == 2);
    CHECK(column.groups[0].parameters == 2 * (4 * 4 + 4));
    CHECK(column.parameters == nn::count(model));
    const LayerColumn one = layer_column(nn::tape_of(nn::Mlp({6, 4, 2}, relu, random), zeros({5, 6})));
    CHECK(one.groups.empty());
}

TEST_CASE("layers: a module may be one box, and skip connections stay", "[figure][diagram]") {
    Generator random(2);
    Blocks model(random);
    const LayerColumn column = layer_column(nn::tape_of(model, random.normal({2, 5, 3})), {"attention"});
    REQUIRE(column.boxes.size() == 4);
    CHECK(column.boxes[2].words == "attention");
    CHECK(column.boxes[2].parameters == nn::count(model.blocks[0].attention));
    CHECK(column.boxes[3].inputs == std::vector<Index>{0, 2});  // the skip connection starts at `enter`
    REQUIRE(column.groups.size() == 1);
    CHECK(column.groups[0].boxes == 3);
    CHECK(column.groups[0].times == 3);
    CHECK(column.parameters == nn::count(model));
    model.leak = true;  // now a later layer reads the first copy, and only the others are equal
    const LayerColumn leaking = layer_column(nn::tape_of(model, random.normal({2, 5, 3})), {"attention"});
    REQUIRE(leaking.groups.size() == 1);
    CHECK(leaking.groups[0].first == 4);
    CHECK(leaking.groups[0].times == 2);
}

TEST_CASE("layers: tied layers are not copies", "[figure][diagram]") {
    Generator random(3);
    const nn::Linear shared(4, 4, random);
    const nn::Mlp apart({4, 4, 4}, nullptr, random);
    const auto twice = [&](const nn::Linear& layer) { return layer(layer(ones({1, 4}))); };
    CHECK(layer_column(nn::tape_of(shared, twice)).groups.empty());
    CHECK(layer_column(nn::tape_of(apart, ones({1, 4}))).groups.size() == 1);
}

TEST_CASE("layers: the drawing rules", "[figure][diagram][row:sys-diagram-conventions/a]") {
    Generator random(4);
    const nn::Sequential model(nn::Conv2d(1, 2, 3, random, {.padding = 1}), nn::Relu(),
                               nn::Conv2d(2, 2, 3, random, {.padding = 1}), nn::Relu(),
                               nn::Conv2d(2, 2, 3, random, {.padding = 1}), nn::Relu(), nn::MaxPool2d{2});
    const LayerColumn column = layer_column(nn::tape_of(model, zeros({1, 1, 4, 4})));
    const std::string dot = layer_diagram("fig-1", column).dot();
    const auto has = [&](const char* text) { return dot.find(text) != std::string::npos; };
    CHECK(has("label=\"×2\";\n    style=dashed; labeljust=r;\n    \"3\";\n    \"4\";\n  }"));
    CHECK(has(R"x("1" -> "2" [label=" (2, 4, 4)  ")x"));  // the first convolution changes the channels
    CHECK(has(R"("2" -> "3" [label="")"));                // no other layer does
    CHECK(has(R"("3" -> "4" [label="")"));
    CHECK(has(R"x("5" -> "output" [label=" (2, 2, 2)  ")x"));
    CHECK(has(R"("1" [height=0.62])"));  // layers with parameters are tall
    CHECK(has(R"("3" [height=0.62])"));
    CHECK_FALSE(has(R"("2" [height)"));
    CHECK_FALSE(has(R"("5" [height)"));
}

TEST_CASE("layers: sizes are those met at run time", "[figure][diagram][row:sys-diagram-conventions/b]") {
    Generator random(5);
    const nn::Sequential lenet(nn::Conv2d(1, 6, 5, random, {.padding = 2}), nn::Relu(), nn::MaxPool2d{2},
                               nn::Conv2d(6, 16, 5, random), nn::Relu(), nn::MaxPool2d{2}, nn::Flatten(),
                               nn::Linear(400, 10, random));
    const LayerColumn column = layer_column(nn::tape_of(lenet, zeros({3, 1, 28, 28})));
    std::size_t box = 0;
    Tensor x = zeros({3, 1, 28, 28});
    std::apply(
        [&](const auto&... layer) {
            const auto step = [&](const Tensor& next) {
                REQUIRE(box < column.boxes.size());
                CHECK(column.boxes[box].input == x.shape().without(0));
                CHECK(column.boxes[box].result == next.shape().without(0));
                x = next, ++box;
            };
            (step(layer(x)), ...);
        },
        lenet.parts);
    CHECK(box == column.boxes.size());
}
