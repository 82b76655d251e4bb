#include <recto/nn/state_space.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {
using Number = std::complex<double>;

/// The outputs of a StateSpace number by number, in a loop over time.
std::vector<double> by_loop(const nn::StateSpace& layer, const Tensor& x) {
    const std::size_t batch = std::size_t(x.size(0)), time = std::size_t(x.size(1)), channels = std::size_t(x.size(2)),
                      states = std::size_t(layer.log_decay.size(1));
    const bool turns = layer.frequency.defined();
    const std::vector<double> step = doubles(layer.log_step), decay = doubles(layer.log_decay),
                              re = doubles(layer.read_re), skip = doubles(layer.skip), in = doubles(x),
                              frequency = turns ? doubles(layer.frequency) : re,
                              im = turns ? doubles(layer.read_im) : re;
    std::vector<double> y(in.size());
    for (std::size_t n = 0; n < batch; ++n)
        for (std::size_t c = 0; c < channels; ++c)
            for (std::size_t m = 0; m < states; ++m) {
                const std::size_t k = c * states + m;
                const Number a(-std::exp(decay[k]), turns ? frequency[k] : 0), read(re[k], turns ? im[k] : 0);
                const double d = std::exp(step[c]);
                const Number factor = turns ? (1. + d * a / 2.) / (1. - d * a / 2.) : std::exp(d * a),
                             input = turns ? d / (1. - d * a / 2.) : (factor - 1.) / a;
                Number h = 0;
                for (std::size_t t = 0; t < time; ++t) {
                    const std::size_t at = (n * time + t) * channels + c;
                    h = factor * h + input * in[at];
                    y[at] += (read * h).real() + (m == 0 ? skip[c] * in[at] : 0);
                }
            }
    return y;
}

/// The same of a SelectiveStateSpace.
std::vector<double> by_loop(const nn::SelectiveStateSpace& layer, const Tensor& x) {
    const std::size_t batch = std::size_t(x.size(0)), time = std::size_t(x.size(1)), channels = std::size_t(x.size(2)),
                      states = std::size_t(layer.log_decay.size(1));
    const std::vector<double> step = doubles(layer.steps(x)), write = doubles(layer.write(x)),
                              read = doubles(layer.read(x)), decay = doubles(layer.log_decay),
                              skip = doubles(layer.skip), in = doubles(x);
    std::vector<double> y(in.size());
    for (std::size_t n = 0; n < batch; ++n)
        for (std::size_t c = 0; c < channels; ++c)
            for (std::size_t m = 0; m < states; ++m) {
                const double a = -std::exp(decay[c * states + m]);
                double h = 0;
                for (std::size_t t = 0; t < time; ++t) {
                    const std::size_t place = n * time + t, at = place * channels + c;
                    const double factor = std::exp(step[at] * a);
                    h = factor * h + (factor - 1) / a * write[place * states + m] * in[at];
                    y[at] += read[place * states + m] * h + (m == 0 ? skip[c] * in[at] : 0);
                }
            }
    return y;
}

/// The largest difference relative to the largest number.
double apart(const Tensor& got, const std::vector<double>& want) {
    const std::vector<double> found = doubles(got);
    double largest = 0, gap = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        largest = std::max(largest, std::abs(want[i]));
        gap = std::max(gap, std::abs(found[i] - want[i]));
        if (std::isnan(found[i])) return not_a_number;
    }
    return gap / largest;
}

/// The recurrent view, a step at a time.
Tensor by_steps(const nn::StateSpace& layer, const Tensor& x) {
    nn::Modes modes;
    std::vector<Tensor> y;
    for (Index t = 0; t < x.size(1); ++t) y.push_back(layer.step(select(x, 1, t), modes));
    return stack(y, 1);
}

/// Makes steps, B and C of a selective layer independent of the input.
void make_constant(nn::SelectiveStateSpace& layer) {
    for (nn::Linear* part : {&layer.step, &layer.write, &layer.read})
        part->weight = zeros(part->weight.shape(), part->weight.device());
}

}  // namespace

TEST_CASE("StateSpace: both views against a loop in complex numbers", "[nn][state_space][devices][row:sys-s4/a]") {
    const Device device = GENERATE(from_range(devices()));
    const bool real = GENERATE(false, true);
    const Index time = GENERATE(1, 2, 7, 130);
    CAPTURE(device, real, time);
    Generator random(1);
    const nn::StateSpace layer(3, 4, random, {.real = real, .device = device});
    const Tensor x = random.normal({2, time, 3}, 0, 1, device);
    const std::vector<double> want = by_loop(layer, x);
    CHECK(apart(layer(x), want) <= 1e-5);
    CHECK(apart(by_steps(layer, x), want) <= 1e-5);
    CHECK(layer.kernel(time).shape() == Shape{3, time});
}

TEST_CASE("StateSpace: every device agrees with the CPU, forward and backward",
          "[nn][state_space][devices][row:sys-s4/d]") {
    const Device device = GENERATE(from_range(devices()));
    const bool real = GENERATE(false, true);
    CAPTURE(device, real);
    const auto run = [real](Device where) {
        Generator random(2);
        const nn::StateSpace layer(3, 4, random, {.real = real, .device = where});
        const Tensor x = random.normal({2, 20, 3}, 0, 1, where).requires_grad_(), y = layer(x);
        sum(y * y).backward();
        std::vector<Tensor> found = {y, x.grad()};
        for (const NamedTensor& p : nn::parameters(layer)) found.push_back(p.tensor.grad());
        return found;
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    CHECK(want.size() == (real ? 6 : 8));
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(apart(got[i], doubles(want[i])) <= 1e-4);
}

TEST_CASE("SelectiveStateSpace: the scan against the loop", "[nn][state_space][devices][row:sys-mamba/a]") {
    const Device device = GENERATE(from_range(devices()));
    const Shape shape = GENERATE(Shape{2, 1, 3}, Shape{2, 9, 3}, Shape{1, 600, 2});
    CAPTURE(device, shape);
    Generator random(3);
    const nn::SelectiveStateSpace layer(shape.size(2), 4, random, {.device = device});
    const Tensor x = random.normal(shape, 0, 1, device);
    CHECK(apart(layer(x), by_loop(layer, x)) <= 1e-5);
}

TEST_CASE("SelectiveStateSpace: with constant parameters it is StateSpace",
          "[nn][state_space][devices][row:sys-mamba/b]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(4);
    nn::SelectiveStateSpace layer(5, 4, random, {.longest = 1, .device = device});
    make_constant(layer);
    nn::StateSpace same(5, 4, random, {.longest = 1, .real = true, .device = device});
    same.log_step = log(softplus(layer.step.bias)), same.log_decay = layer.log_decay, same.skip = layer.skip;
    same.read_re = expand(reshape(layer.write.bias * layer.read.bias, {1, 4}), {5, 4});
    const Tensor x = random.normal({3, 50, 5}, 0, 1, device);
    CHECK(apart(layer(x), doubles(same(x))) <= 1e-4);
}

TEST_CASE("SelectiveStateSpace: one mode of decay 1 is a gate", "[nn][state_space][devices]") {
    // Theorem 1 of Gu and Dao, 2023: with A = -1 and B = C = 1, h_t = (1 - g) h_{t-1} + g x_t with g = sigmoid(score).
    const Device device = GENERATE(from_range(devices()));
    Generator random(5);
    nn::SelectiveStateSpace layer(2, 1, random, {.device = device});
    make_constant(layer);
    layer.step.weight = random.normal({2, 2}, 0, 1, device), layer.skip = zeros({2}, device);
    layer.write.bias = ones({1}, device), layer.read.bias = ones({1}, device);
    const Tensor x = random.normal({1, 6, 2}, 0, 1, device), gates = sigmoid(layer.step(x));
    Tensor h = zeros({1, 2}, device);
    std::vector<Tensor> want;
    for (Index t = 0; t < 6; ++t) {
        const Tensor g = select(gates, 1, t);
        h = (1 - g) * h + g * select(x, 1, t);
        want.push_back(h);
    }
    CHECK(close(layer(x), doubles(stack(want, 1)), 4 * usual));
}

TEST_CASE("SelectiveStateSpace: every device agrees with the CPU, forward and backward",
          "[nn][state_space][devices][row:sys-mamba/e]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(6);
        const nn::SelectiveStateSpace layer(3, 4, random, {.device = where});
        const Tensor x = random.normal({2, 20, 3}, 0, 1, where).requires_grad_(), y = layer(x);
        sum(y * y).backward();
        std::vector<Tensor> found = {y, x.grad()};
        for (const NamedTensor& p : nn::parameters(layer)) found.push_back(p.tensor.grad());
        return found;
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(apart(got[i], doubles(want[i])) <= 1e-4);
}

TEST_CASE("StateSpace: first values and messages", "[nn][state_space]") {
    Generator random(7);
    const nn::StateSpace layer(3, 2, random, {.shortest = 0.01, .longest = 1});
    CHECK(close(exp(layer.log_step), {0.01, 0.1, 1}, 1e-6));
    CHECK(close(exp(layer.log_decay), std::vector<double>(6, 0.5), 1e-6));
    CHECK(close(layer.frequency, {0, std::numbers::pi, 0, std::numbers::pi, 0, std::numbers::pi}, 1e-6));
    const nn::SelectiveStateSpace selective(3, 2, random, {.shortest = 0.01, .longest = 1});
    CHECK(close(selective.steps(zeros({1, 1, 3})), {0.01, 0.1, 1}, 1e-6));
    CHECK(layer(zeros({2, 0, 3})).shape() == Shape{2, 0, 3});
    CHECK(selective(zeros({2, 0, 3})).shape() == Shape{2, 0, 3});
    nn::Modes modes;
    CHECK_THROWS_WITH(layer(ones({4, 3})), "StateSpace: wanted (batch, time, 3), got shape (4, 3)");
    CHECK_THROWS_WITH(layer.step(ones({4, 2}), modes), "StateSpace: wanted (batch, 3), got shape (4, 2)");
    CHECK_THROWS_WITH(layer.kernel(0), "StateSpace: wanted a kernel of at least 1 time, got 0");
    CHECK_THROWS_WITH(selective(ones({1, 4, 2})), "SelectiveStateSpace: wanted (batch, time, 3), got shape (1, 4, 2)");
    CHECK_THROWS_WITH(nn::StateSpace(0, 2, random),
                      "StateSpace: wanted sizes of at least 1, got 0 channels and 2 states");
    CHECK_THROWS_WITH(nn::SelectiveStateSpace(3, 2, random, {.shortest = 1, .longest = 0.5}),
                      "SelectiveStateSpace: wanted 0 < shortest <= longest, got 1 and 0.5");
}

GRADIENT_TEST("StateSpace") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(8);
            nn::StateSpace layer(2, 2, random, {.device = x[0].device()});
            layer.log_step = x[1], layer.log_decay = x[2], layer.frequency = x[3];
            layer.read_re = x[4], layer.read_im = x[5];
            return layer(x[0]);
        },
        [](Generator& random) {
            Inputs found = {random.normal({1, 5, 2}), random.normal({2}, -1)};
            for (int k = 0; k < 4; ++k) found.push_back(random.normal({2, 2}));
            return found;
        },
        8);
}

GRADIENT_TEST("SelectiveStateSpace") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(9);
            nn::SelectiveStateSpace layer(2, 2, random, {.device = x[0].device()});
            layer.log_decay = x[1], layer.step.weight = x[2], layer.write.weight = x[3], layer.read.weight = x[4];
            return layer(x[0]);
        },
        [](Generator& random) {
            Inputs found = {random.normal({1, 4, 2})};
            for (int k = 0; k < 4; ++k) found.push_back(random.normal({2, 2}));
            return found;
        },
        8);
}
