#include <recto/nn/qrnn.hpp>

#include <algorithm>
#include <cmath>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

double sigma(double x) { return 1 / (1 + std::exp(-x)); }

/// The outputs number by number, in a loop over time.
std::vector<double> by_loop(const nn::Qrnn& layer, const Tensor& x, const Tensor& start) {
    const Index batch = x.size(0), time = x.size(1), in = x.size(2), window = layer.weight.size(2);
    const Index hidden = layer.bias.numel() / 3;
    const std::vector<double> w = doubles(layer.weight), b = doubles(layer.bias), input = doubles(x);
    std::vector<double> c = start.defined() ? doubles(start) : std::vector<double>(std::size_t(batch * hidden)), y;
    const auto score = [&](Index n, Index t, Index row) {
        double s = b[std::size_t(row)];
        for (Index k = 0; k < window; ++k)
            for (Index i = 0; t - k >= 0 && i < in; ++i)
                s += w[std::size_t((row * in + i) * window + window - 1 - k)] *
                     input[std::size_t((n * time + t - k) * in + i)];
        return s;
    };
    for (Index n = 0; n < batch; ++n)
        for (Index t = 0; t < time; ++t)
            for (Index j = 0; j < hidden; ++j) {
                const double z = std::tanh(score(n, t, j)), f = sigma(score(n, t, hidden + j));
                double& memory = c[std::size_t(n * hidden + j)];
                memory = f * memory + (1 - f) * z;
                y.push_back(sigma(score(n, t, 2 * hidden + j)) * memory);
            }
    return y;
}

}  // namespace

TEST_CASE("Qrnn: its definition, number by number", "[nn][qrnn][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Index window = GENERATE(1, 2, 3), time = GENERATE(1, 2, 5);
    const bool started = GENERATE(false, true);
    CAPTURE(device, window, time, started);
    Generator random(1);
    const nn::Qrnn layer(2, 3, random, {.window = window, .device = device});
    const Tensor x = random.normal({2, time, 2}, 0, 1, device),
                 c = started ? random.normal({2, 3}, 0, 1, device) : Tensor();
    const Recurrent got = layer(x, c);
    CHECK(close(got.y, by_loop(layer, x, c), 4 * usual));
    CHECK(got.h.shape() == Shape{2, 3});
    CHECK(got.c.shape() == Shape{2, 3});
    CHECK(nn::count(layer) == 3 * 3 * 2 * window + 3 * 3);
}

TEST_CASE("Qrnn: the scan against the loop, on a long sequence", "[nn][qrnn][devices][row:sys-qrnn/b]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(2);
    const nn::Qrnn layer(3, 4, random, {.device = device});  // long enough for the scan to work in blocks
    const Tensor x = random.normal({1, 700, 3}, 0, 1, device);
    const std::vector<double> want = by_loop(layer, x, Tensor()), got = doubles(layer(x).y);
    double largest = 0, gap = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        largest = std::max(largest, std::abs(want[i]));
        gap = std::max(gap, std::abs(got[i] - want[i]));
    }
    CHECK(gap <= 1e-5 * largest);
}

TEST_CASE("Qrnn: every device agrees with the CPU, forward and backward", "[nn][qrnn][devices][row:sys-qrnn/d]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(3);
        const nn::Qrnn layer(3, 5, random, {.device = where});
        const Tensor x = random.normal({4, 6, 3}, 0, 1, where).requires_grad_();
        const Recurrent got = layer(x);
        sum(got.y * got.y).backward();
        std::vector<Tensor> found = {got.y, x.grad()};
        for (const NamedTensor& p : nn::parameters(layer)) found.push_back(p.tensor.grad());
        return found;
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(close(got[i], doubles(want[i]), 4 * usual));
}

TEST_CASE("Qrnn: messages and an empty sequence", "[nn][qrnn]") {
    Generator random(4);
    const nn::Qrnn layer(2, 3, random);
    CHECK(layer(zeros({2, 0, 2})).y.shape() == Shape{2, 0, 3});
    CHECK_THROWS_WITH(layer(ones({4, 2})), "Qrnn: wanted (batch, time, 2), got shape (4, 2)");
    CHECK_THROWS_WITH(layer(ones({1, 4, 3})), "Qrnn: wanted (batch, time, 2), got shape (1, 4, 3)");
    CHECK_THROWS_WITH(nn::Qrnn(2, -1, random), "Qrnn: wanted sizes of at least 0, got 2 in and -1 hidden");
    CHECK_THROWS_WITH(nn::Qrnn(2, 3, random, {.window = 0}), "Qrnn: wanted a window of at least 1, got 0");
}

GRADIENT_TEST("Qrnn") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(5);
            nn::Qrnn layer(2, 2, random, {.device = x[0].device()});
            layer.weight = x[1], layer.bias = x[2];
            return layer(x[0], x[3]).y;
        },
        [](Generator& random) {
            const Tensor x = random.normal({2, 3, 2}), w = random.normal({6, 2, 2}), b = random.normal({6});
            return Inputs{x, w, b, random.normal({2, 2})};
        },
        8);
}
