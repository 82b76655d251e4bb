#include <recto/nn/diffusion.hpp>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/nn/sequential.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/sequences/positions.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/optim/adam.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;
using Catch::Matchers::WithinAbs;
using nn::NoiseSchedule;

namespace {

const std::vector<double> three = {0.1, 0.2, 0.5};

// A predictor with weights: it reads the sample and features of the time.
struct Predictor {
    nn::Mlp net;
    Index steps;
    Tensor operator()(const Tensor& x, const Integers& t) const {
        return net(concat({x, nn::time_features(t, steps, 4)}, 1));
    }
};

// Points of two half circles, with mean 0 and about variance 1.
Tensor moons(Index count, Generator& random) {
    std::vector<Real> points;
    for (Index i = 0; i < count; ++i) {
        const bool upper = random.next_uniform() < 0.5;
        const double angle = std::numbers::pi * random.next_uniform();
        const double x = upper ? std::cos(angle) : 1 - std::cos(angle);
        const double y = upper ? std::sin(angle) : 0.5 - std::sin(angle);
        points.push_back(Real((x - 0.5 + 0.05 * random.next_normal()) / 0.87));
        points.push_back(Real((y - 0.25 + 0.05 * random.next_normal()) / 0.5));
    }
    return Tensor({count, 2}, points);
}

}  // namespace

TEST_CASE("NoiseSchedule: three steps, by hand", "[nn][diffusion]") {
    const NoiseSchedule s(three);
    CHECK(s.steps() == 3);
    CHECK(s.beta(2) == 0.2);
    CHECK(s.alpha_bar(0) == 1);
    CHECK_THAT(s.alpha_bar(1), WithinAbs(0.9, 1e-15));
    CHECK_THAT(s.alpha_bar(2), WithinAbs(0.72, 1e-15));
    CHECK_THAT(s.alpha_bar(3), WithinAbs(0.36, 1e-15));
}

TEST_CASE("NoiseSchedule: the linear schedule", "[nn][diffusion]") {
    const NoiseSchedule s = NoiseSchedule::linear();
    REQUIRE(s.steps() == 1000);
    CHECK_THAT(s.beta(1), WithinAbs(1e-4, 1e-15));
    CHECK_THAT(s.beta(1000), WithinAbs(0.02, 1e-15));
    CHECK_THAT(s.beta(501), WithinAbs(1e-4 + (0.02 - 1e-4) * 500 / 999, 1e-15));
    double log = 0;
    for (Index t = 1; t <= 1000; ++t) log += std::log1p(-s.beta(t));
    CHECK_THAT(std::log(s.alpha_bar(1000)), WithinAbs(log, 1e-10));
    for (const Index steps : {1, 3, 20, 200, 999, 1500}) {
        CAPTURE(steps);
        const NoiseSchedule few = NoiseSchedule::linear(steps);
        CHECK(few.steps() == steps);
        CHECK_THAT(few.alpha_bar(steps), WithinAbs(s.alpha_bar(1000), 1e-12));
    }
    const NoiseSchedule few = NoiseSchedule::linear(200), odd = NoiseSchedule::linear(3);
    CHECK_THAT(few.alpha_bar(7), WithinAbs(s.alpha_bar(35), 1e-12));
    CHECK_THAT(odd.alpha_bar(1), WithinAbs(s.alpha_bar(333) + (s.alpha_bar(334) - s.alpha_bar(333)) / 3, 1e-12));
}

TEST_CASE("NoiseSchedule: steps there and back, number by number, on every device",
          "[nn][diffusion][devices][row:sys-diffusion/b]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    const NoiseSchedule s(three);
    const Tensor x = random.normal({4, 2, 3}), noise = random.normal({4, 2, 3}), other = random.normal({4, 2, 3});
    const std::vector<double> in = doubles(x), eps = doubles(noise), z = doubles(other);
    const Tensor there = x.to(device), eps_there = noise.to(device), z_there = other.to(device);
    const std::vector<Index> steps = {3, 0, 1, 3};
    std::vector<double> one, all, each, back, last;
    for (std::size_t i = 0; i < in.size(); ++i) {
        one.push_back(std::sqrt(0.8) * in[i] + std::sqrt(0.2) * eps[i]);
        all.push_back(std::sqrt(0.72) * in[i] + std::sqrt(0.28) * eps[i]);
        const double kept = s.alpha_bar(steps[i / 6]);
        each.push_back(std::sqrt(kept) * in[i] + std::sqrt(1 - kept) * eps[i]);
        back.push_back((in[i] - 0.2 / std::sqrt(0.28) * eps[i]) / std::sqrt(0.8) + std::sqrt(0.2) * z[i]);
        last.push_back((in[i] - 0.1 / std::sqrt(0.1) * eps[i]) / std::sqrt(0.9));
    }
    CHECK(close(s.step(there, 2, eps_there), one));
    CHECK(close(s.noised(there, 2, eps_there), all));
    CHECK(close(s.noised(there, Integers({4}, steps, device), eps_there), each));
    CHECK(close(s.step_back(there, 2, eps_there, z_there), back));
    CHECK(close(s.step_back(there, 1, eps_there, z_there), last));
}

TEST_CASE("NoiseSchedule: samples and the loss on every device agree with the CPU",
          "[nn][diffusion][devices][row:sys-diffusion/b]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(2);
        const Predictor model{nn::Mlp({2 + 4, 8, 2}, tanh, random, {.device = where}), 5};
        const NoiseSchedule s = NoiseSchedule::linear(5);
        const Tensor x = s.sample(model, {3, 2}, random, where);
        const Tensor loss = nn::noise_prediction_loss(model, s, random.normal({7, 2}, 0, 1, where), random);
        loss.backward();
        std::vector<Tensor> found = {x, loss};
        for (const NamedTensor& p : nn::parameters(model.net)) found.push_back(p.tensor.grad());
        return found;
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    REQUIRE(want.size() == 6);
    CHECK_FALSE(want[0].requires_grad());
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(close(got[i], doubles(want[i]), 50 * usual));
}

TEST_CASE("noise_prediction_loss: the losses of ten steps of training on two moons agree with the CPU on every device",
          "[nn][diffusion][devices][row:ex-tp6-2d-diffusion-star/c]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(8);
        const Predictor model{nn::Mlp({2 + 4, 32, 32, 2}, tanh, random, {.device = where}), 100};
        const NoiseSchedule s = NoiseSchedule::linear(100);
        optim::Adam adam(nn::parameters(model.net), {.lr = 0.01});
        std::vector<double> losses;
        for (int step = 0; step < 10; ++step) {
            const Tensor loss = nn::noise_prediction_loss(model, s, moons(256, random).to(where), random);
            adam.zero_grad();
            loss.backward();
            adam.step();
            losses.push_back(double(loss.item()));
        }
        return losses;
    };
    const std::vector<double> want = run(Device::cpu), got = run(device);
    REQUIRE(want.size() == 10);
    CHECK(want.back() < 0.9 * want.front());  // the training changes the loss
    for (std::size_t step = 0; step < want.size(); ++step) {
        CAPTURE(step, want[step], got[step]);
        CHECK(std::abs(got[step] - want[step]) <= 1e-3 * want[step]);
    }
}

TEST_CASE("NoiseSchedule: samples, step by step", "[nn][diffusion]") {
    const NoiseSchedule s(three);
    std::vector<Index> told;
    const auto model = [&](const Tensor& x, const Integers& t) {
        REQUIRE(t.shape() == Shape{4});
        told.push_back(t.values()[3]);
        return x * 0.5;
    };
    Generator random(3), again(3);
    const Tensor got = s.sample(model, {4, 1}, random);
    CHECK(told == std::vector<Index>{3, 2, 1});
    Tensor x = again.normal({4, 1});
    for (const Index t : {3, 2, 1}) {
        const Tensor predicted = x * 0.5;
        x = s.step_back(x, t, predicted, again.normal({4, 1}));
    }
    CHECK(same_bits(got, x));
}

TEST_CASE("noise_prediction_loss: steps and noise are those of the draws", "[nn][diffusion]") {
    const NoiseSchedule s(three);
    Generator random(4), again(4), data(5);
    const Tensor x = data.normal({50, 2});
    std::vector<Index> told;
    const auto model = [&](const Tensor& at, const Integers& t) {
        told = t.values();
        return at * 0.5;
    };
    const Tensor loss = nn::noise_prediction_loss(model, s, x, random);
    const Integers t = again.integers({50}, 1, 4);
    const Tensor noise = again.normal({50, 2});
    CHECK(told == t.values());
    CHECK(close(loss, doubles(mse_loss(s.noised(x, t, noise) * 0.5, noise))));
}

TEST_CASE("time_features: rows of the sinusoidal table", "[nn][diffusion][devices]") {
    const Device device = GENERATE(from_range(devices()));
    const Tensor got = nn::time_features(Integers({3}, {7, 0, 7}, device), 7, 6);
    REQUIRE(got.shape() == Shape{3, 6});
    const std::vector<double> row = doubles(sinusoidal_positions(1, 6, Device::cpu, 7));
    std::vector<double> want = row;
    for (const double v : {0., 1., 0., 1., 0., 1.}) want.push_back(v);
    want.insert(want.end(), row.begin(), row.end());
    CHECK(close(got, want));
}

TEST_CASE("NoiseSchedule: messages", "[nn][diffusion]") {
    const NoiseSchedule s(three);
    const Tensor x = ones({2, 3});
    CHECK_THROWS_WITH(NoiseSchedule({}), "NoiseSchedule: wanted at least one step, got none");
    CHECK_THROWS_WITH(NoiseSchedule({0.1, 1}), "NoiseSchedule: wanted variances above 0 and below 1, got 1");
    CHECK_THROWS_WITH(NoiseSchedule::linear(0), "NoiseSchedule: wanted at least one step, got 0");
    CHECK_THROWS_WITH(s.beta(0), "NoiseSchedule: wanted a step from 1 to 3, got 0");
    CHECK_THROWS_WITH(s.alpha_bar(4), "NoiseSchedule: wanted a step from 0 to 3, got 4");
    CHECK_THROWS_WITH(s.step(x, 1, ones({3})), "NoiseSchedule: wanted noise of shape (2, 3), got (3)");
    CHECK_THROWS_WITH(s.noised(x, Integers({3}, {1, 1, 1}), x),
                      "NoiseSchedule: wanted a step for each sample of (2, 3), got (3)");
    CHECK_THROWS_WITH(s.noised(x, Integers({2}, {1, 4}), x), "NoiseSchedule: wanted a step from 0 to 3, got 4 at 1");
    CHECK_THROWS_WITH(nn::time_features(Integers({1}, {5}), 4, 2),
                      "time_features: wanted a step from 0 to 4, got 5 at 0");
    CHECK_THROWS_WITH(nn::time_features(Integers({1}, {5}), -1, 2), "time_features: wanted at least 0 steps, got -1");
}

GRADIENT_TEST("noise_prediction_loss") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(6);
            const auto model = [&](const Tensor& at, const Integers&) { return at * x[1] + x[2]; };
            return nn::noise_prediction_loss(model, NoiseSchedule(three), x[0], random);
        },
        [](Generator& random) {
            const Tensor data = random.normal({4, 2}), factor = random.normal({1}), shift = random.normal({1});
            return Inputs{data, factor, shift};
        },
        8);
}
