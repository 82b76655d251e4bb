#include <recto/nn/state_space.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/affine_scan.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

/// A complex number for each place; real if `im` is undefined.
struct Complex {
    Tensor re, im;
};

Complex operator*(const Complex& a, const Complex& b) {
    if (!a.im.defined()) return {a.re * b.re, Tensor()};
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/// \f$ 1 - e^{-x} \f$ for x >= 0, with full precision near 0: below 0, elu() is \f$ e^x - 1 \f$.
Tensor lost(const Tensor& x) { return -elu(-x, 1); }

/// The factor of a step and the share of the input that a step adds, (channels, states).
struct Sampled {
    Complex factor, input;
};

Sampled sample(const StateSpace& layer) {
    const Tensor step = reshape(exp(layer.log_step), {layer.log_step.numel(), 1}), decay = exp(layer.log_decay);
    if (!layer.frequency.defined()) {
        const Tensor gone = lost(step * decay);
        return {{1 - gone, Tensor()}, {gone / decay, Tensor()}};
    }
    // With Delta A / 2 = -u + i v, everything is a quotient of polynomials.
    const Tensor u = step * decay * 0.5, v = step * layer.frequency * 0.5;
    const Tensor square_sum = square(1 + u) + square(v);
    return {{(1 - square(u) - square(v)) / square_sum, 2 * v / square_sum},
            {step * (1 + u) / square_sum, step * v / square_sum}};
}

/// The first steps of the channels: spread evenly in the logarithm from the shortest to the longest.
std::vector<Real> log_steps(Index channels, const StateSpaceOptions& options) {
    std::vector<Real> found;
    const double low = std::log(options.shortest), high = std::log(options.longest);
    for (Index c = 0; c < channels; ++c)
        found.push_back(Real(channels == 1 ? (low + high) / 2 : low + (high - low) * double(c) / double(channels - 1)));
    return found;
}

/// The same numbers for every channel.
Tensor for_all(Index channels, const std::vector<Real>& values, Device device) {
    const Index states = Index(values.size());
    return contiguous(expand(Tensor({1, states}, values, device), {channels, states})).requires_grad_();
}

void check_sizes(const char* who, Index channels, Index states, const StateSpaceOptions& options) {
    check(channels >= 1 && states >= 1, "{}: wanted sizes of at least 1, got {} channels and {} states", who, channels,
          states);
    check(options.shortest > 0 && options.shortest <= options.longest && std::isfinite(options.longest),
          "{}: wanted 0 < shortest <= longest, got {} and {}", who, options.shortest, options.longest);
}

void check_input(const char* who, const Tensor& x, Index channels) {
    check(x.dim() == 3 && x.size(2) == channels, "{}: wanted (batch, time, {}), got shape {}", who, channels,
          x.shape());
}

}  // namespace

StateSpace::StateSpace(Index channels, Index states, Generator& random, StateSpaceOptions options) {
    check_sizes("StateSpace", channels, states, options);
    const Device device = options.device;
    std::vector<Real> decay, turn;
    for (Index n = 0; n < states; ++n) {
        decay.push_back(Real(options.real ? std::log(double(n + 1)) : -std::numbers::ln2));
        turn.push_back(Real(std::numbers::pi * double(n)));
    }
    log_step = Tensor({channels}, log_steps(channels, options), device).requires_grad_();
    log_decay = for_all(channels, decay, device);
    const Real deviation = Real(1 / std::sqrt(double(states)));
    read_re = random.normal({channels, states}, 0, deviation, device).requires_grad_();
    if (!options.real) {
        frequency = for_all(channels, turn, device);
        read_im = random.normal({channels, states}, 0, deviation, device).requires_grad_();
    }
    skip = ones({channels}, device).requires_grad_();
}

Tensor StateSpace::kernel(Index time) const {
    check(time >= 1, "StateSpace: wanted a kernel of at least 1 time, got {}", time);
    const Index channels = log_decay.size(0), states = log_decay.size(1);
    const Sampled s = sample(*this);
    const Complex weight = Complex{read_re, read_im} * s.input;
    const auto with_time = [&](const Tensor& x) { return x.defined() ? reshape(x, {channels, states, 1}) : x; };
    Complex leap = {with_time(s.factor.re), with_time(s.factor.im)};  // the factor of as many steps as there are powers
    Complex powers = {ones(leap.re.shape(), leap.re.device()), Tensor()};
    if (frequency.defined()) powers.im = zeros(leap.re.shape(), leap.re.device());
    while (powers.re.size(2) < time) {
        const Index more = std::min(powers.re.size(2), time - powers.re.size(2));
        const auto first = [&](const Tensor& x) { return x.defined() ? slice(x, 2, 0, more) : x; };
        const Complex next = Complex{first(powers.re), first(powers.im)} * leap;
        powers.re = concat({powers.re, next.re}, 2);
        if (frequency.defined()) powers.im = concat({powers.im, next.im}, 2);
        if (powers.re.size(2) < time) leap = leap * leap;
    }
    const auto mixed = [&](const Tensor& w, const Tensor& p) {
        return reshape(matmul(reshape(w, {channels, 1, states}), p), {channels, time});
    };
    const Tensor real_part = mixed(weight.re, powers.re);
    return frequency.defined() ? real_part - mixed(weight.im, powers.im) : real_part;
}

Tensor StateSpace::operator()(const Tensor& x) const {
    check_input("StateSpace", x, skip.numel());
    const Index time = x.size(1), channels = x.size(2);
    if (x.numel() == 0) return x;
    // conv1d() reads its kernel from the oldest input on.
    const Tensor weight = reshape(contiguous(flip(kernel(time), {1})), {channels, 1, time});
    const Tensor before = pad(transpose(x), {{time - 1, 0}});
    return transpose(conv1d(before, weight, Tensor(), {.groups = channels})) + x * skip;
}

Tensor StateSpace::step(const Tensor& x, Modes& modes) const {
    check(x.dim() == 2 && x.size(1) == skip.numel(), "StateSpace: wanted (batch, {}), got shape {}", skip.numel(),
          x.shape());
    const Sampled s = sample(*this);
    const Tensor in = reshape(x, {x.size(0), x.size(1), 1});
    const auto plus = [](const Tensor& a, const Tensor& b) { return a.defined() ? a + b : b; };
    const Complex kept = modes.re.defined() ? s.factor * Complex{modes.re, modes.im} : Complex{};
    modes.re = plus(kept.re, s.input.re * in);
    if (frequency.defined()) modes.im = plus(kept.im, s.input.im * in);
    const Complex seen = Complex{read_re, read_im} * Complex{modes.re, modes.im};
    return sum(seen.re, {2}) + x * skip;
}

SelectiveStateSpace::SelectiveStateSpace(Index channels, Index states, Generator& random, StateSpaceOptions options)
    : step(channels, channels, random, {.device = options.device}),
      write(channels, states, random, {.device = options.device}),
      read(channels, states, random, {.device = options.device}) {
    check_sizes("SelectiveStateSpace", channels, states, options);
    std::vector<Real> decay, scores;
    for (Index n = 0; n < states; ++n) decay.push_back(Real(std::log(double(n + 1))));
    for (const Real s : log_steps(channels, options))  // softplus of these is the step
        scores.push_back(Real(std::log(std::expm1(std::exp(double(s))))));
    log_decay = for_all(channels, decay, options.device);
    step.bias = Tensor({channels}, scores, options.device).requires_grad_();
    skip = ones({channels}, options.device).requires_grad_();
}

Tensor SelectiveStateSpace::steps(const Tensor& x) const {
    check_input("SelectiveStateSpace", x, skip.numel());
    return softplus(step(x));
}

Tensor SelectiveStateSpace::operator()(const Tensor& x) const {
    const Tensor chosen = steps(x), decay = exp(log_decay);
    const Index batch = x.size(0), time = x.size(1), channels = x.size(2), states = decay.size(1);
    if (x.numel() == 0) return x;
    const auto with_states = [&](const Tensor& t) { return reshape(t, {batch, time, channels, 1}); };
    const auto with_channels = [&](const Tensor& t) { return reshape(t, {batch, time, 1, states}); };
    const Tensor gone = lost(with_states(chosen) * decay);
    const Tensor factor = 1 - gone, added = gone * (with_channels(write(x)) / decay) * with_states(x);
    const Shape flat = {batch, time, channels * states};
    const Tensor h = reshape(affine_scan(reshape(factor, flat), reshape(added, flat)), factor.shape());
    return sum(h * with_channels(read(x)), {3}) + x * skip;
}

}  // namespace RECTO::nn
