#include <recto/nn/minimal_rnn.hpp>

#include <cmath>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("MinimalRnn: its definition, number by number", "[nn][recurrent][devices]") {
    const Device device = GENERATE(from_range(devices()));
    Generator random(1);
    const nn::MinimalRnn layer(2, 3, random, {.keep = 0.5, .device = device});
    const Tensor x = random.normal({2, 4, 2}, 0, 1, device), h = random.normal({2, 3}, 0, 1, device);
    const std::vector<double> in = doubles(x), W = doubles(layer.encode.weight), b = doubles(layer.encode.bias),
                              U = doubles(layer.gate_state), V = doubles(layer.gate_input.weight);
    std::vector<double> want;
    for (std::size_t n = 0; n < 2; ++n) {
        const std::vector<double> start = doubles(h);
        std::vector<double> state(start.begin() + long(3 * n), start.begin() + long(3 * n + 3));
        for (std::size_t t = 0; t < 4; ++t) {
            std::vector<double> z(3), next(3);
            for (std::size_t i = 0; i < 3; ++i)
                z[i] = std::tanh(b[i] + W[2 * i] * in[8 * n + 2 * t] + W[2 * i + 1] * in[8 * n + 2 * t + 1]);
            for (std::size_t i = 0; i < 3; ++i) {
                double score = 0.5;
                for (std::size_t j = 0; j < 3; ++j) score += U[3 * i + j] * state[j] + V[3 * i + j] * z[j];
                const double keep = 1 / (1 + std::exp(-score));
                next[i] = keep * state[i] + (1 - keep) * z[i];
            }
            state = next;
            want.insert(want.end(), state.begin(), state.end());
        }
    }
    const Recurrent got = layer(x, h);
    CHECK(close(got.y, want));
    CHECK(nn::count(layer) == 3 * 2 + 3 + 2 * 3 * 3 + 3);
    CHECK_THROWS_WITH(layer(ones({4, 2}, device)), "MinimalRnn: wanted (batch, time, in), got shape (4, 2)");
}

TEST_CASE("MinimalRnn: every device agrees with the CPU, forward and backward",
          "[nn][recurrent][devices][row:sys-minimal-rnn/c]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(2);
        const nn::MinimalRnn layer(3, 5, random, {.keep = 1, .device = where});
        const Tensor x = random.normal({4, 6, 3}, 0, 1, where).requires_grad_();
        const Recurrent got = layer(x);
        sum(got.y * got.y).backward();
        std::vector<Tensor> found = {got.y, x.grad()};
        for (const NamedTensor& p : nn::parameters(layer)) found.push_back(p.tensor.grad());
        return found;
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(close(got[i], doubles(want[i])));
}
