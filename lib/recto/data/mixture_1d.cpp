#include <recto/data/mixture_1d.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace RECTO::data {
namespace {

double exponent(const Bump& b, double x) { return -(x - b.mean) * (x - b.mean) / (2 * b.deviation * b.deviation); }

// The largest exponent of all bumps: what remains after it is subtracted does not underflow.
double largest_exponent(const std::vector<Bump>& bumps, double x) {
    check(!bumps.empty(), "Mixture1d: wanted at least one bump, got none");
    double most = -std::numeric_limits<double>::infinity();
    for (const Bump& b : bumps) most = std::max(most, exponent(b, x));
    return most;
}

}  // namespace

double Mixture1d::mean() const {
    double sum = 0;
    for (const Bump& b : bumps) sum += b.weight * b.mean;
    return sum;
}

double Mixture1d::variance() const {
    const double middle = mean();
    double sum = 0;
    for (const Bump& b : bumps) sum += b.weight * (b.deviation * b.deviation + (b.mean - middle) * (b.mean - middle));
    return sum;
}

double Mixture1d::log_density(double x) const {
    const double most = largest_exponent(bumps, x);
    double sum = 0;
    for (const Bump& b : bumps) sum += b.weight / b.deviation * std::exp(exponent(b, x) - most);
    return most + std::log(sum) - std::log(2 * std::numbers::pi) / 2;
}

double Mixture1d::density(double x) const { return std::exp(log_density(x)); }

double Mixture1d::cdf(double x) const {
    double sum = 0;
    for (const Bump& b : bumps) sum += b.weight * std::erfc((b.mean - x) / (b.deviation * std::numbers::sqrt2)) / 2;
    return sum;
}

double Mixture1d::score(double x) const {
    const double most = largest_exponent(bumps, x);
    double sum = 0, pull = 0;
    for (const Bump& b : bumps) {
        const double part = b.weight / b.deviation * std::exp(exponent(b, x) - most);
        sum += part, pull += part * (b.mean - x) / (b.deviation * b.deviation);
    }
    return pull / sum;
}

Mixture1d Mixture1d::standardised() const {
    const double middle = mean(), deviation = std::sqrt(variance());
    Mixture1d made = *this;
    for (Bump& b : made.bumps) b.mean = (b.mean - middle) / deviation, b.deviation /= deviation;
    return made;
}

Mixture1d Mixture1d::noised(double a) const {
    check(a >= 0 && a <= 1, "Mixture1d: wanted a from 0 to 1, got {}", a);
    Mixture1d made = *this;
    for (Bump& b : made.bumps) {
        b.mean *= std::sqrt(a);
        b.deviation = std::sqrt(a * b.deviation * b.deviation + 1 - a);
    }
    return made;
}

std::vector<double> Mixture1d::draw(Index count, Generator& random) const {
    std::vector<Real> weights;
    for (const Bump& b : bumps) weights.push_back(Real(b.weight));
    std::vector<double> drawn;
    for (const Index which : random.multinomial(weights, count)) {
        const Bump& b = bumps[std::size_t(which)];
        drawn.push_back(b.mean + b.deviation * random.next_normal());
    }
    return drawn;
}

Mixture1d three_bumps() { return Mixture1d{{{0.3, -2, 0.3}, {0.5, 0.5, 0.5}, {0.2, 3, 0.2}}}.standardised(); }

}  // namespace RECTO::data
