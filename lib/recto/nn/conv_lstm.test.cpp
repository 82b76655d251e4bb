#include <recto/nn/conv_lstm.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/recurrent.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("ConvLstm: with a kernel of one it is an LSTM at each place", "[nn][recurrent][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    const nn::ConvLstm layer(3, 4, 1, random, {.device = device});
    const Tensor x = random.normal({2, 3, 5, 6}, 0, 1, device), h = random.normal({2, 4, 5, 6}, 0, 1, device),
                 c = random.normal({2, 4, 5, 6}, 0, 1, device);
    const nn::ConvLstmState got = layer(x, {h, c});
    const auto rows = [](const Tensor& image) {  // a row for each place
        return reshape(permute(image, {0, 2, 3, 1}), {image.size(0) * image.size(2) * image.size(3), image.size(1)});
    };
    const Tensor weight = reshape(layer.gates.weight, {16, 7});
    RecurrentWeights weights;
    weights.weight_ih = contiguous(slice(weight, 1, 0, 3)), weights.weight_hh = contiguous(slice(weight, 1, 3, 7));
    weights.bias_ih = layer.gates.bias, weights.bias_hh = zeros({16}, device);
    const Recurrent want = lstm(rows(x), weights, rows(h), rows(c));
    CHECK(close(rows(got.h), doubles(want.h), 10 * usual));
    CHECK(close(rows(got.c), doubles(want.c), 10 * usual));
    CHECK(layer.hidden() == 4);
    CHECK(nn::count(layer) == 16 * 7 + 16);
}

TEST_CASE("ConvLstm: no state is a state of zeros", "[nn][recurrent][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(2);
    const nn::ConvLstm layer(2, 3, 3, random, {.device = device});
    const Tensor x = random.normal({2, 2, 4, 5}, 0, 1, device), nothing = zeros({2, 3, 4, 5}, device);
    CHECK(same_bits(layer(x).h, layer(x, {nothing, nothing}).h));
    CHECK(layer(x).c.shape() == Shape{2, 3, 4, 5});
}

TEST_CASE("ConvLstm: every device agrees with the CPU, forward and backward",
          "[nn][recurrent][devices][row:sys-conv-lstm/d]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(3);
        const nn::ConvLstm layer(2, 3, 3, random, {.device = where});
        Tensor x = random.normal({4, 3, 2, 5, 6}, 0, 1, where);
        x.requires_grad_();
        nn::ConvLstmState state;
        for (Index t = 0; t < 3; ++t) state = layer(select(x, 1, t), state);
        sum(state.h * state.h).backward();
        std::vector<Tensor> found = {state.h, state.c, x.grad()};
        for (const NamedTensor& p : nn::parameters(layer)) found.push_back(p.tensor.grad());
        return found;
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(close(got[i], doubles(want[i]), 20 * usual));
}

TEST_CASE("ConvLstm: messages", "[nn][recurrent]") {
    Generator random(4);
    const nn::ConvLstm layer(2, 3, 3, random);
    CHECK_THROWS_WITH(nn::ConvLstm(2, 3, 4, random), "ConvLstm: wanted an odd kernel, got 4");
    CHECK_THROWS_WITH(layer(ones({1, 3, 4, 4})), "ConvLstm: wanted (batch, 2, height, width), got shape (1, 3, 4, 4)");
    CHECK_THROWS_WITH(layer(ones({1, 2, 4, 4}), {ones({1, 3, 4, 5}), ones({1, 3, 4, 4})}),
                      "ConvLstm: wanted a state of shape (1, 3, 4, 4), got (1, 3, 4, 5) and (1, 3, 4, 4)");
}

GRADIENT_TEST("ConvLstm") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(5);
            nn::ConvLstm layer(1, 2, 3, random, {.device = x[0].device()});
            layer.gates.weight = x[3];
            const nn::ConvLstmState first = layer(x[0], {x[1], x[2]});
            const nn::ConvLstmState second = layer(x[0], first);
            return second.h + second.c;
        },
        [](Generator& random) {
            const Tensor in = random.normal({1, 1, 3, 3}), h = random.normal({1, 2, 3, 3});
            const Tensor c = random.normal({1, 2, 3, 3}), weight = random.normal({8, 3, 3, 3});
            return Inputs{in, h, c, weight};
        },
        4);
}
