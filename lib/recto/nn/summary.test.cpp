#include <recto/nn/summary.hpp>

#include <recto/nn/attention.hpp>
#include <recto/nn/conv.hpp>
#include <recto/nn/embedding.hpp>
#include <recto/nn/norm.hpp>
#include <recto/nn/pool.hpp>
#include <recto/nn/positions.hpp>
#include <recto/nn/recurrent.hpp>
#include <recto/nn/regularise.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

constexpr Index R = sizeof(Real);

/// A row counted by hand, without bytes.
struct Row {
    std::string layer, operation;
    Shape shape;
    Index parameters = 0, macs = 0, numbers = 0;
};

void check_rows(const nn::Summary& got, const std::vector<Row>& want) {
    CAPTURE(to_string(got));
    REQUIRE(got.rows.size() == want.size());
    Row sum;
    for (std::size_t i = 0; i < want.size(); ++i) {
        CAPTURE(i);
        CHECK(got.rows[i].layer == want[i].layer);
        CHECK(got.rows[i].operation == want[i].operation);
        CHECK(got.rows[i].shape == want[i].shape);
        CHECK(got.rows[i].parameters == want[i].parameters);
        CHECK(got.rows[i].macs == want[i].macs);
        CHECK(got.rows[i].bytes == want[i].numbers * R);
        sum.parameters += want[i].parameters, sum.macs += want[i].macs, sum.numbers += want[i].numbers;
    }
    CHECK(got.total.parameters == sum.parameters);
    CHECK(got.total.macs == sum.macs);
    CHECK(got.total.bytes == sum.numbers * R);
}

/// Two convolutions with normalisation and a skip connection, as in bench/images.cpp.
struct Residual {
    nn::Conv2d first, second;
    nn::BatchNorm first_norm{16}, second_norm{16};
    explicit Residual(Generator& random)
        : first(16, 16, 3, random, {.padding = 1}), second(16, 16, 3, random, {.padding = 1}) {}
    Tensor operator()(const Tensor& x) const { return relu(x + second_norm(second(relu(first_norm(first(x)))))); }
    void visit(auto&& part) {
        part("first", first), part("first_norm", first_norm), part("second", second), part("second_norm", second_norm);
    }
};
struct ResNet {
    nn::Conv2d enter;
    std::vector<Residual> blocks;
    nn::Linear leave;
    explicit ResNet(Generator& random) : enter(1, 16, 1, random), leave(16, 10, random) {
        for (int i = 0; i < 2; ++i) blocks.emplace_back(random);
    }
    Tensor operator()(const Tensor& x) const {
        Tensor h = relu(enter(x));
        for (const Residual& block : blocks) h = block(h);
        return leave(mean(h, {2, 3}));
    }
    void visit(auto&& part) { part("enter", enter), part("blocks", blocks), part("leave", leave); }
};

/// One block of a GPT between embeddings and scores, as in bench/transformers.cpp.
struct Gpt {
    nn::Embedding words;
    nn::SinusoidalPositions places;
    nn::LayerNorm before_attention{{8}}, before_perceptron{{8}};
    nn::MultiHeadAttention attention;
    nn::Linear widen, narrow;
    explicit Gpt(Generator& random)
        : words(11, 8, random), places(6, 8), attention(8, 2, random), widen(8, 32, random), narrow(32, 8, random) {}
    Tensor operator()(const Integers& tokens) const {
        Tensor x = places(words(tokens));
        x = x + attention(before_attention(x), {.causal = true});
        x = x + narrow(gelu(widen(before_perceptron(x))));
        return linear(x, words.weight);
    }
    void visit(auto&& part) {
        part("words", words), part("places", places), part("before_attention", before_attention);
        part("attention", attention), part("before_perceptron", before_perceptron);
        part("widen", widen), part("narrow", narrow);
    }
};

}  // namespace

TEST_CASE("summary: a perceptron and LeNet by hand", "[nn]") {
    Generator random(1);
    check_rows(nn::summary(nn::Mlp({784, 256, 128, 10}, relu, random), zeros({5, 784})),
               {{"layers.0", "linear", {5, 256}, 784 * 256 + 256, 5 * 784 * 256, 5 * 256},
                {"", "relu", {5, 256}, 0, 0, 5 * 256},
                {"layers.1", "linear", {5, 128}, 256 * 128 + 128, 5 * 256 * 128, 5 * 128},
                {"", "relu", {5, 128}, 0, 0, 5 * 128},
                {"layers.2", "linear", {5, 10}, 1290, 5 * 1280, 50}});
    const nn::Sequential lenet(nn::Conv2d(1, 32, 5, random), nn::MaxPool2d{3}, nn::Relu(),
                               nn::Conv2d(32, 64, 5, random), nn::MaxPool2d{2}, nn::Relu(), nn::Flatten(),
                               nn::Linear(256, 200, random), nn::Relu(), nn::Linear(200, 10, random));
    const nn::Summary got = nn::summary(lenet, zeros({2, 1, 28, 28}));
    check_rows(got, {{"0", "conv2d", {2, 32, 24, 24}, 32 * 25 + 32, 2 * 32 * 24 * 24 * 25, 2 * 32 * 24 * 24},
                     {"", "max_pool2d", {2, 32, 8, 8}, 0, 0, 2 * 32 * 64},
                     {"", "relu", {2, 32, 8, 8}, 0, 0, 2 * 32 * 64},
                     {"3", "conv2d", {2, 64, 4, 4}, 64 * 32 * 25 + 64, 2 * 64 * 4 * 4 * 32 * 25, 2 * 64 * 16},
                     {"", "max_pool2d", {2, 64, 2, 2}, 0, 0, 2 * 64 * 4},
                     {"", "relu", {2, 64, 2, 2}, 0, 0, 2 * 64 * 4},
                     {"", "reshape", {2, 256}},
                     {"7", "linear", {2, 200}, 256 * 200 + 200, 2 * 256 * 200, 400},
                     {"", "relu", {2, 200}, 0, 0, 400},
                     {"9", "linear", {2, 10}, 2010, 4000, 20}});
    CHECK(got.total.parameters == nn::count(lenet));
    CHECK(got.unread == 0);
}

TEST_CASE("summary: a residual network by hand, which stays as it was", "[nn]") {
    Generator random(2);
    const ResNet model(random);
    const Tensor before = clone(model.blocks[0].first_norm.running_mean);
    const nn::Summary got = nn::summary(model, random.normal({1, 1, 28, 28}));
    const Shape maps{1, 16, 28, 28};
    const Index n = 16 * 784, products = n * 16 * 9, weights = 16 * 16 * 9 + 16;
    std::vector<Row> want = {{"enter", "conv2d", maps, 32, n, n}, {"", "relu", maps, 0, 0, n}};
    for (const std::string block : {"blocks.0", "blocks.1"})
        for (const Row& row : {Row{block + ".first", "conv2d", maps, weights, products, n},
                               {block + ".first_norm", "batch_norm", maps, 32, 0, n},
                               {"", "relu", maps, 0, 0, n},
                               {block + ".second", "conv2d", maps, weights, products, n},
                               {block + ".second_norm", "batch_norm", maps, 32, 0, n},
                               {"", "add", maps, 0, 0, n},
                               {"", "relu", maps, 0, 0, n}})
            want.push_back(row);
    want.push_back({"", "mean", {1, 16}, 0, 0, 16});
    want.push_back({"leave", "linear", {1, 10}, 170, 160, 10});
    check_rows(got, want);
    CHECK(got.total.parameters == nn::count(model));
    CHECK(model.blocks[0].first_norm.training);
    CHECK(same_bits(model.blocks[0].first_norm.running_mean, before));
    CHECK(steps(model.enter.weight)[0].name == "leaf");
    CHECK_FALSE(model.enter.weight.grad().defined());
}

TEST_CASE("summary: a block of a GPT by hand", "[nn]") {
    Generator random(3);
    const Gpt model(random);
    const nn::Summary got = nn::summary(model, random.integers({3, 5}, 0, 11));
    const Shape x{3, 5, 8};
    const Index n = 3 * 5 * 8;
    check_rows(got, {{"words", "index_rows", x, 88, 0, n},
                     {"places", "slice", {5, 8}},
                     {"", "add", x, 0, 0, n},
                     {"before_attention", "layer_norm", x, 16, 0, n},
                     {"attention", "linear", {3, 5, 24}, 8 * 24 + 24, 3 * 5 * 8 * 24, 3 * n},
                     {"", "self_attention", x, 0, 3 * 2 * 5 * 5 * (4 + 4), n},
                     {"attention.out_proj", "linear", x, 72, 3 * 5 * 8 * 8, n},
                     {"", "add", x, 0, 0, n},
                     {"before_perceptron", "layer_norm", x, 16, 0, n},
                     {"widen", "linear", {3, 5, 32}, 8 * 32 + 32, 3 * 5 * 8 * 32, 4 * n},
                     {"", "gelu", {3, 5, 32}, 0, 0, 4 * n},
                     {"narrow", "linear", x, 32 * 8 + 8, 3 * 5 * 32 * 8, n},
                     {"", "add", x, 0, 0, n},
                     {"words", "linear", {3, 5, 11}, 0, 3 * 5 * 8 * 11, 3 * 5 * 11}});
    CHECK(got.total.parameters == nn::count(model));
}

TEST_CASE("summary: multiply-accumulates of every operation that has any", "[nn]") {
    Generator random(4);
    const auto drawn = [&](const Shape& shape) { return random.normal(shape).requires_grad_(); };
    const auto total = [](const Tensor& y) {
        return nn::summary(nn::Sequential<>(), [&](auto&) { return y; }).total.macs;
    };
    CHECK(total(matmul(drawn({2, 3, 4}), random.normal({2, 4, 5}))) == 2 * 3 * 4 * 5);
    CHECK(total(matmul(random.normal({3, 4}), drawn({4, 5}))) == 3 * 4 * 5);
    CHECK(total(conv1d(drawn({2, 4, 9}), drawn({6, 2, 3}), Tensor(), {.stride = 2, .padding = 1, .groups = 2})) ==
          2 * 6 * 5 * 2 * 3);
    CHECK(total(conv_transpose1d(drawn({2, 4, 9}), drawn({4, 3, 5}), Tensor(), {.stride = 2})) == 2 * 4 * 9 * 3 * 5);
    CHECK(total(conv_transpose2d(drawn({1, 4, 3, 2}), drawn({4, 2, 2, 5}), Tensor(), {.groups = 2})) ==
          4 * 3 * 2 * 2 * 2 * 5);
    CHECK(total(attention(drawn({2, 3, 4, 5}), drawn({2, 3, 7, 5}), drawn({2, 3, 7, 6}))) == 2 * 3 * 4 * 7 * (5 + 6));
    const Tensor x = random.normal({2, 7, 3});
    const auto recurrent = [&](auto model) {
        return nn::summary(model, [&](const auto& m) { return m(x).y; }).total.macs;
    };
    CHECK(recurrent(nn::Rnn(3, 4, random)) == 2 * 7 * (3 * 4 + 4 * 4));
    CHECK(recurrent(nn::Lstm(3, 4, random)) == 2 * 7 * 4 * (3 * 4 + 4 * 4));
    CHECK(recurrent(nn::Gru(3, 4, random)) == 2 * 7 * 3 * (3 * 4 + 4 * 4));
}

TEST_CASE("summary: what is not trained, not read, or not there", "[nn][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(5);
    nn::Mlp frozen({3, 4, 2}, tanh, random, {.device = device});
    for (nn::Linear& layer : frozen.layers) layer.weight = layer.weight.detach();
    check_rows(nn::summary(frozen, ones({1, 3}, device)), {{"layers.0", "linear", {1, 4}, 4, 12, 4},
                                                           {"", "tanh", {1, 4}, 0, 0, 4},
                                                           {"layers.1", "linear", {1, 2}, 2, 8, 2}});

    const nn::Mlp whole({3, 4, 2}, tanh, random, {.device = device});
    const nn::Summary half = nn::summary(whole, [&](const nn::Mlp& m) { return m.layers[0](ones({1, 3}, device)); });
    CHECK(half.total.parameters == 16);
    CHECK(half.unread == 10);
    CHECK(to_string(half).ends_with("\nnot read                             10\n"));

    const nn::Summary none = nn::summary(nn::Sequential<>(), ones({2}, device).requires_grad_());
    CHECK(none.rows.empty());
    CHECK(none.total.parameters == 0);
    CHECK(none.unread == 0);

    const nn::Sequential noisy(nn::Dropout(0.5, random), nn::Linear(3, 2, random, {.device = device}));
    const std::uint64_t calls = random.calls();
    check_rows(nn::summary(noisy, ones({1, 3}, device)), {{"1", "linear", {1, 2}, 8, 6, 2}});
    CHECK(random.calls() == calls);

    const NoGrad guard;
    CHECK_THROWS_WITH(nn::summary(whole, ones({1, 3}, device)),
                      "tape_of: wanted a model whose operations are recorded, got a result that none of them made");
}

TEST_CASE("summary: as a text", "[nn]") {
    Generator random(6);
    const nn::Summary got = nn::summary(nn::Mlp({3, 4, 2}, relu, random), ones({2, 3}));
    CHECK(fmt::format("{}", got) == fmt::format("layer     operation  result  parameters  MACs  bytes\n"
                                                "layers.0  linear     (2, 4)          16    24  {0:>5}\n"
                                                "          relu       (2, 4)           0     0  {0:>5}\n"
                                                "layers.1  linear     (2, 2)          10    16  {1:>5}\n"
                                                "total                                26    40  {2:>5}\n",
                                                8 * R, 4 * R, 20 * R));
}
