#include <recto/nn/recurrent.hpp>

#include <cmath>

#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("recurrent modules: names, counts and what they compute", "[nn][recurrent][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    const nn::Rnn one(3, 4, random, {.device = device});
    const nn::Lstm four(3, 4, random, {.device = device});
    const nn::Gru three(3, 4, random, {.bias = false, .device = device});
    CHECK(nn::count(one) == 4 * 3 + 4 * 4 + 2 * 4);
    CHECK(nn::count(four) == 4 * nn::count(one));
    CHECK(nn::count(three) == 3 * (4 * 3 + 4 * 4));
    std::vector<std::string> names;
    for (const NamedTensor& p : nn::parameters(four)) names.push_back(p.name);
    CHECK(names == std::vector<std::string>{"weight_ih", "weight_hh", "bias_ih", "bias_hh"});
    for (const double w : doubles(four.weights.weight_hh)) CHECK(std::abs(w) <= 0.5);
    const Tensor x = random.normal({2, 5, 3}, 0, 1, device), h = random.normal({2, 4}, 0, 1, device);
    CHECK(same_bits(one(x, h).y, rnn(x, one.weights, h).y));
    CHECK(same_bits(four(x, h, h).c, lstm(x, four.weights, h, h).c));
    CHECK(same_bits(three(x).h, gru(x, three.weights).h));
    sum(four(x).y).backward();
    for (const NamedTensor& p : nn::parameters(four)) CHECK(p.tensor.grad().defined());
    CHECK_THROWS_WITH(nn::Lstm(-1, 2, random), "Lstm: wanted sizes of at least 0, got -1 in and 2 hidden");
}
