#include <recto/nn/diffusion.hpp>

#include <cmath>
#include <span>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/losses/mse_loss.hpp>
#include <recto/ops/sequences/positions.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

void check_same_shape(const Tensor& x, const Tensor& other) {
    check_defined("NoiseSchedule", x, other);
    check(x.shape() == other.shape(), "NoiseSchedule: wanted noise of shape {}, got {}", x.shape(), other.shape());
}

Integers repeated(Index t, Index count, Device device) {
    return Integers({count}, std::vector<Index>(std::size_t(count), t), device);
}

}  // namespace

NoiseSchedule::NoiseSchedule(const std::vector<double>& beta) : beta_{0}, alpha_bar_{1} {
    check(!beta.empty(), "NoiseSchedule: wanted at least one step, got none");
    for (const double b : beta) {
        check(b > 0 && b < 1, "NoiseSchedule: wanted variances above 0 and below 1, got {}", b);
        beta_.push_back(b);
        alpha_bar_.push_back(alpha_bar_.back() * (1 - b));
    }
}

NoiseSchedule NoiseSchedule::linear(Index steps) {
    check(steps >= 1, "NoiseSchedule: wanted at least one step, got {}", steps);
    constexpr Index all = 1000;
    constexpr double first = 1e-4, last = 0.02;
    std::vector<double> beta;
    for (Index s = 0; s < all; ++s) beta.push_back(first + (last - first) * double(s) / double(all - 1));
    const NoiseSchedule full(beta);
    if (steps == all) return full;
    std::vector<double> fewer;
    double before = 1;
    for (Index t = 1; t <= steps; ++t) {
        const Index s = t * all / steps, rest = t * all % steps;
        double now = full.alpha_bar(s);
        if (rest > 0) now += (full.alpha_bar(s + 1) - now) * double(rest) / double(steps);
        fewer.push_back(1 - now / before);
        before = now;
    }
    return NoiseSchedule(fewer);
}

double NoiseSchedule::beta(Index t) const {
    check(t >= 1 && t <= steps(), "NoiseSchedule: wanted a step from 1 to {}, got {}", steps(), t);
    return beta_[std::size_t(t)];
}

double NoiseSchedule::alpha_bar(Index t) const {
    check(t >= 0 && t <= steps(), "NoiseSchedule: wanted a step from 0 to {}, got {}", steps(), t);
    return alpha_bar_[std::size_t(t)];
}

Tensor NoiseSchedule::step(const Tensor& x, Index t, const Tensor& noise) const {
    check_same_shape(x, noise);
    const double b = beta(t);
    return x * std::sqrt(1 - b) + noise * std::sqrt(b);
}

Tensor NoiseSchedule::noised(const Tensor& x, Index t, const Tensor& noise) const {
    check_same_shape(x, noise);
    const double a = alpha_bar(t);
    return x * std::sqrt(a) + noise * std::sqrt(1 - a);
}

Tensor NoiseSchedule::noised(const Tensor& x, const Integers& t, const Tensor& noise) const {
    check_same_shape(x, noise);
    check_defined("NoiseSchedule", t);
    check(x.dim() >= 1 && t.shape() == Shape{x.size(0)}, "NoiseSchedule: wanted a step for each sample of {}, got {}",
          x.shape(), t.shape());
    check_range(t, steps() + 1, "NoiseSchedule", "{0}: wanted a step from 0 to {1}, got {2} at {3}");
    std::vector<Real> signal, rest;
    for (const double a : alpha_bar_) {
        signal.push_back(Real(std::sqrt(a)));
        rest.push_back(Real(std::sqrt(1 - a)));
    }
    std::vector<Index> extents(std::size_t(x.dim()), 1);
    extents[0] = steps() + 1;
    const Shape each{std::span<const Index>(extents)};
    return x * index_rows(Tensor(each, signal, x.device()), t) + noise * index_rows(Tensor(each, rest, x.device()), t);
}

Tensor NoiseSchedule::step_back(const Tensor& x, Index t, const Tensor& predicted, const Tensor& noise) const {
    check_same_shape(x, predicted), check_same_shape(x, noise);
    const double b = beta(t);
    const Tensor mean = (x - predicted * (b / std::sqrt(1 - alpha_bar(t)))) * (1 / std::sqrt(1 - b));
    return t > 1 ? mean + noise * std::sqrt(b) : mean;
}

Tensor NoiseSchedule::sample(const NoisePredictor& model, const Shape& shape, Generator& random, Device device) const {
    const NoGrad only_sampling;
    Tensor x = random.normal(shape, 0, 1, device);
    for (Index t = steps(); t >= 1; --t) {
        const Tensor predicted = model(x, repeated(t, x.size(0), device));
        x = step_back(x, t, predicted, random.normal(shape, 0, 1, device));
    }
    return x;
}

Tensor noise_prediction_loss(const NoisePredictor& model, const NoiseSchedule& schedule, const Tensor& x,
                             Generator& random) {
    check_defined("noise_prediction_loss", x);
    check(x.dim() >= 1, "noise_prediction_loss: wanted (batch, ...), got shape {}", x.shape());
    const Integers t = random.integers({x.size(0)}, 1, schedule.steps() + 1, x.device());
    const Tensor noise = random.normal(x.shape(), 0, 1, x.device());
    return mse_loss(model(schedule.noised(x, t, noise), t), noise);
}

Tensor time_features(const Integers& t, Index steps, Index width) {
    check_defined("time_features", t);
    check(steps >= 0, "time_features: wanted at least 0 steps, got {}", steps);
    check_range(t, steps + 1, "time_features", "{0}: wanted a step from 0 to {1}, got {2} at {3}");
    return index_rows(sinusoidal_positions(steps + 1, width, t.device()), t);
}

}  // namespace RECTO::nn
