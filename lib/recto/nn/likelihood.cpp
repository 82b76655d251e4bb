#include <recto/nn/likelihood.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/indexing/gather.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/log_softmax.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

using std::numbers::pi;

void check_outputs(const Tensor& outputs, Index width, const char* who) {
    check(outputs.dim() == 2 && outputs.size(1) == width, "{}: wanted outputs (samples, {}), got {}", who, width,
          outputs.shape());
}

void check_targets(const Tensor& outputs, const Shape& targets, const char* who) {
    check(targets == Shape{outputs.size(0)}, "{}: wanted targets ({}), one for each row of outputs, got {}", who,
          outputs.size(0), targets);
}

Tensor column(const Tensor& outputs, Index place) { return select(outputs, 1, place); }

/// Calls f for every row of numbers on the host; its results form a tensor (rows) on the same device.
template <class F>
Tensor each_row(const Tensor& numbers, const F& f) {
    const std::vector<Real> from = numbers.values();
    const Index rows = numbers.size(0), width = numbers.dim() == 1 ? 1 : numbers.size(1);
    std::vector<Real> to;
    to.reserve(std::size_t(rows));
    for (Index i = 0; i < rows; ++i) to.push_back(Real(f(from.data() + i * width)));
    return Tensor({rows}, to, numbers.device());
}

/// The log-density of a standard normal number z, for z deviations from the mean.
Tensor bell(const Tensor& z, const Tensor& log_deviation) {
    return square(z) / -2 - log_deviation - std::log(2 * pi) / 2;
}

double poisson(double mean, Generator& random) {
    check(mean <= 1e9, "Poisson: wanted means of at most 1e9 to draw from, got {}", mean);
    const double mode = std::floor(mean);
    double above = mode, below = mode;  // all counts between them have been tried
    double p_above = mode == 0 ? std::exp(-mean) : std::exp(mode * std::log(mean) - mean - std::lgamma(mode + 1));
    double p_below = p_above, left = random.next_uniform() - p_above;
    if (left < 0) return mode;
    while (p_above > 0 || p_below > 0) {
        above += 1, p_above *= mean / above;
        if ((left -= p_above) < 0) return above;
        p_below *= below / mean, below -= 1;  // 0 below a count of 0, and remains 0
        if ((left -= p_below) < 0) return below;
    }
    return mode;  // only after rounding errors
}

double von_mises(double mean, double concentration, Generator& random) {
    double off = 0;
    if (concentration < 1e-8) {
        off = pi * (2 * random.next_uniform() - 1);
    } else if (concentration > 1e6) {  // the distribution is so narrow that it is normal
        off = random.next_normal() / std::sqrt(concentration);
    } else {
        const double tau = 1 + std::sqrt(1 + 4 * concentration * concentration);
        const double rho = (tau - std::sqrt(2 * tau)) / (2 * concentration), r = (1 + rho * rho) / (2 * rho);
        double cosine = 0, c = 0, u = 0;
        do {
            const double z = std::cos(pi * random.next_uniform());
            cosine = (1 + r * z) / (r + z), c = concentration * (r - cosine);
            u = random.next_uniform();
        } while (c * (2 - c) <= u && std::log(c / u) + 1 - c < 0);
        off = std::acos(std::clamp(cosine, -1.0, 1.0));
        if (random.next_uniform() < 0.5) off = -off;
    }
    return std::remainder(mean + off, 2 * pi);
}

}  // namespace

Tensor Normal::log_prob(const Tensor& outputs, const Tensor& targets) const {
    check_outputs(outputs, 1, "Normal");
    check_targets(outputs, targets.shape(), "Normal");
    check(deviation > 0, "Normal: wanted a deviation above 0, got {}", deviation);
    return bell((targets - column(outputs, 0)) / deviation, full({}, Real(std::log(deviation)), outputs.device()));
}
Tensor Normal::mode(const Tensor& outputs) const {
    check_outputs(outputs, 1, "Normal");
    return clone(column(outputs.detach(), 0));
}
Tensor Normal::sample(const Tensor& outputs, Generator& random) const {
    check_outputs(outputs, 1, "Normal");
    return each_row(outputs, [&](const Real* o) { return double(o[0]) + deviation * random.next_normal(); });
}

Tensor SpreadNormal::log_prob(const Tensor& outputs, const Tensor& targets) const {
    check_outputs(outputs, 2, "SpreadNormal");
    check_targets(outputs, targets.shape(), "SpreadNormal");
    const Tensor log_deviation = column(outputs, 1);
    return bell((targets - column(outputs, 0)) * exp(-1 * log_deviation), log_deviation);
}
Tensor SpreadNormal::mode(const Tensor& outputs) const {
    check_outputs(outputs, 2, "SpreadNormal");
    return clone(column(outputs.detach(), 0));
}
Tensor SpreadNormal::sample(const Tensor& outputs, Generator& random) const {
    check_outputs(outputs, 2, "SpreadNormal");
    return each_row(outputs,
                    [&](const Real* o) { return double(o[0]) + std::exp(double(o[1])) * random.next_normal(); });
}

Tensor Bernoulli::log_prob(const Tensor& outputs, const Tensor& targets) const {
    check_outputs(outputs, 1, "Bernoulli");
    check_targets(outputs, targets.shape(), "Bernoulli");
    return negative(softplus((1 - 2 * targets) * column(outputs, 0)));
}
Tensor Bernoulli::mode(const Tensor& outputs) const {
    check_outputs(outputs, 1, "Bernoulli");
    return each_row(outputs, [](const Real* o) { return o[0] > 0; });
}
Tensor Bernoulli::sample(const Tensor& outputs, Generator& random) const {
    check_outputs(outputs, 1, "Bernoulli");
    return each_row(outputs, [&](const Real* o) { return random.next_uniform() < 1 / (1 + std::exp(-double(o[0]))); });
}

Tensor Categorical::log_prob(const Tensor& outputs, const Integers& targets) const {
    check(outputs.dim() == 2 && outputs.size(1) > 0, "Categorical: wanted outputs (samples, classes), got {}",
          outputs.shape());
    check_targets(outputs, targets.shape(), "Categorical");
    check_labels(targets, outputs.size(1), "Categorical");
    return column(gather(log_softmax(outputs), 1, targets.reshape({outputs.size(0), 1})), 0);
}
Integers Categorical::mode(const Tensor& outputs) const {
    check(outputs.dim() == 2 && outputs.size(1) > 0, "Categorical: wanted outputs (samples, classes), got {}",
          outputs.shape());
    return argmax(outputs, 1);
}
Integers Categorical::sample(const Tensor& outputs, Generator& random) const {
    check(outputs.dim() == 2 && outputs.size(1) > 0, "Categorical: wanted outputs (samples, classes), got {}",
          outputs.shape());
    const std::vector<Real> logs = log_softmax(outputs.detach()).values();
    const auto classes = std::size_t(outputs.size(1));
    std::vector<Index> drawn;
    for (std::size_t row = 0; row < logs.size(); row += classes) {
        double left = random.next_uniform();
        Index last = 0;  // the last possible class, in case of rounding errors
        for (std::size_t k = 0; k < classes; ++k) {
            const double p = std::exp(double(logs[row + k]));
            if (p > 0) last = Index(k), left -= p;
            if (left < 0) break;
        }
        drawn.push_back(last);
    }
    return Integers({outputs.size(0)}, drawn, outputs.device());
}

Tensor Poisson::log_prob(const Tensor& outputs, const Tensor& targets) const {
    check_outputs(outputs, 1, "Poisson");
    check_targets(outputs, targets.shape(), "Poisson");
    const Tensor log_factorial = each_row(targets, [](const Real* y) {
        check(y[0] >= 0 && y[0] == std::floor(y[0]), "Poisson: wanted targets that are counts, got {}", y[0]);
        return std::lgamma(double(y[0]) + 1);
    });
    const Tensor log_mean = column(outputs, 0);
    return targets * log_mean - exp(log_mean) - log_factorial;
}
Tensor Poisson::mode(const Tensor& outputs) const {
    check_outputs(outputs, 1, "Poisson");
    return each_row(outputs, [](const Real* o) { return std::floor(std::exp(double(o[0]))); });
}
Tensor Poisson::sample(const Tensor& outputs, Generator& random) const {
    check_outputs(outputs, 1, "Poisson");
    return each_row(outputs, [&](const Real* o) { return poisson(std::exp(double(o[0])), random); });
}

Tensor VonMises::log_prob(const Tensor& outputs, const Tensor& targets) const {
    check_outputs(outputs, 2, "VonMises");
    check_targets(outputs, targets.shape(), "VonMises");
    const Tensor cosine = each_row(targets, [](const Real*y) { return std::cos(double(y[0])); }),
                 sine = each_row(targets, [](const Real*y) { return std::sin(double(y[0])); });
    return column(outputs, 0) * cosine + column(outputs, 1) * sine - log_bessel(outputs) - std::log(2 * pi);
}
Tensor VonMises::mode(const Tensor& outputs) const {
    check_outputs(outputs, 2, "VonMises");
    return each_row(outputs, [](const Real* o) { return std::atan2(double(o[1]), double(o[0])); });
}
Tensor VonMises::sample(const Tensor& outputs, Generator& random) const {
    check_outputs(outputs, 2, "VonMises");
    return each_row(outputs, [&](const Real* o) {
        const double a = double(o[0]), b = double(o[1]);
        return von_mises(std::atan2(b, a), std::hypot(a, b), random);
    });
}

Tensor log_bessel(const Tensor& arrows) {
    check_outputs(arrows, 2, "log_bessel");
    constexpr Index angles = 128;  // exact where e^(-angles^2 / (2 length)) underflows
    constexpr double far = 100;    // ... and the series where its last term is negligible
    std::vector<Real> around;
    for (Index i = 0; i < angles; ++i) around.push_back(Real(std::cos(2 * pi * double(i) / angles)));
    for (Index i = 0; i < angles; ++i) around.push_back(Real(std::sin(2 * pi * double(i) / angles)));
    const Tensor near =
        logsumexp(matmul(arrows, Tensor({2, angles}, around, arrows.device())), {1}) - std::log(double(angles));

    // 1 + 1 / (8 k) + 1 9 / (2! (8 k)^2) + 1 9 25 / (3! (8 k)^3) + ..., by Horner's rule.
    const Tensor length = sqrt(maximum(sum(square(arrows), {1}), far * far));
    Tensor series = full({}, 1, arrows.device());
    for (int k = 7; k >= 1; --k) series = 1 + series * ((2 * k - 1) * (2 * k - 1) / (8.0 * k)) / length;
    const Tensor away = length - log(2 * pi * length) / 2 + log(series);

    return where(each_row(arrows, [](const Real* o) { return std::hypot(double(o[0]), double(o[1])) > far; }), away,
                 near);
}

}  // namespace RECTO::nn
