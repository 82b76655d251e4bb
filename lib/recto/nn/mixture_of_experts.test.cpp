#include <recto/nn/mixture_of_experts.hpp>

#include <algorithm>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

const nn::MixtureSize tiny{.width = 4, .hidden = 6, .experts = 3, .chosen = 2, .shared = 1};

/// The formula, one token after the other.
std::vector<double> by_loop(const nn::MixtureOfExperts& layer, const Tensor& x) {
    const nn::Routing routing = layer.route(x);
    std::vector<double> all;
    for (Index t = 0; t < x.size(0); ++t) {
        const Tensor token = select(x, 0, t);
        Tensor y = zeros(token.shape(), x.device());
        for (Index i = 0; i < layer.chosen; ++i) {
            const Index e = routing.experts.values()[std::size_t(t * layer.chosen + i)];
            y = y + layer.experts[std::size_t(e)](token) * select(select(routing.gates, 0, t), 0, i);
        }
        for (const nn::Expert& expert : layer.shared) y = y + expert(token);
        for (const double number : doubles(y)) all.push_back(number);
    }
    return all;
}

}  // namespace

TEST_CASE("MixtureOfExperts: the formula, token by token", "[nn][mixture][devices][row:sys-moe/f]") {
    const Device device = GENERATE(from_range(devices()));
    const Index chosen = GENERATE(1, 2, 5), tokens = GENERATE(1, 7, 129);
    CAPTURE(device, chosen, tokens);
    Generator random(1);
    const nn::MixtureOfExperts layer({.width = 8, .hidden = 5, .experts = 5, .chosen = chosen, .shared = 2}, random,
                                     device);
    const Tensor x = random.normal({tokens, 8}, 0, 2, device);
    CHECK(close(layer(x), by_loop(layer, x), 2 * usual));
    CHECK(same_bits(layer(reshape(x, {1, tokens, 8})), reshape(layer(x), {1, tokens, 8})));
    nn::MixtureOfExperts host = layer;
    nn::to(host, Device::cpu);
    CHECK(close(layer(x), doubles(host(x.to(Device::cpu))), 10 * usual));
}

TEST_CASE("MixtureOfExperts: an expert without tokens does not run", "[nn][mixture][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(2);
    const nn::MixtureOfExperts layer(tiny, random, device);
    const Tensor x = random.normal({1, 4}, 0, 1, device);
    sum(layer(x)).backward();
    const std::vector<Index> choice = layer.route(x).experts.values();
    for (Index e = 0; e < 3; ++e)
        CHECK(layer.experts[std::size_t(e)].widen.weight.grad().defined() ==
              (std::find(choice.begin(), choice.end(), e) != choice.end()));
    CHECK(layer.router.weight.grad().defined());
    CHECK(layer.shared[0].narrow.bias.grad().defined());
    CHECK(layer(zeros({0, 4}, device)).shape() == Shape{0, 4});
}

TEST_CASE("MixtureOfExperts: sizes and messages", "[nn][mixture]") {
    Generator random(3);
    CHECK(nn::count(nn::MixtureOfExperts(tiny, random)) == 3 * 4 + 4 * (2 * 4 * 6 + 6 + 4));
    CHECK_THROWS_WITH(nn::MixtureOfExperts({.width = 4, .hidden = 6, .experts = 3, .chosen = 4}, random),
                      "MixtureOfExperts: wanted from 1 to 3 chosen experts, got 4");
    CHECK_THROWS_WITH(nn::MixtureOfExperts({.width = 4, .hidden = 6, .experts = 3, .chosen = 0}, random),
                      "MixtureOfExperts: wanted from 1 to 3 chosen experts, got 0");
    CHECK_THROWS_WITH(nn::MixtureOfExperts({.width = 4, .hidden = 6, .experts = 3, .chosen = 1, .shared = -1}, random),
                      "MixtureOfExperts: wanted shared >= 0, got -1");
}

TEST_CASE("balance_loss: equal use, and a single expert", "[nn][mixture][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const nn::Routing equal{Tensor({2, 2}, {0.75, 0.25, 0.25, 0.75}, device), Tensor({2, 1}, {0.75, 0.75}, device),
                            Integers({2, 1}, {0, 1}, device)},
        one{Tensor({2, 2}, {1, 0, 1, 0}, device), Tensor({2, 1}, {1, 1}, device), Integers({2, 1}, {0, 0}, device)};
    CHECK(nn::balance_loss(equal).item() == Real(1));
    CHECK(nn::balance_loss(one).item() == Real(2));
}

GRADIENT_TEST("MixtureOfExperts") {
    // The choice is fixed, since the result jumps where it changes.
    const Integers choice({4, 2}, {0, 1, 2, 0, 1, 2, 0, 1});
    check_gradient(
        [&](const Inputs& x) {
            Generator random(4);
            nn::MixtureOfExperts layer(tiny, random, x[0].device());
            layer.experts[1].widen.weight = x[2];
            return layer.mix(x[0], {x[1], x[1], choice.to(x[0].device())});
        },
        [](Generator& random) {
            return Inputs{random.normal({4, 4}), random.normal({4, 2}), random.normal({6, 4})};
        },
        4);
}
