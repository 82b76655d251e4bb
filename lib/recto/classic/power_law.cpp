#include <recto/classic/power_law.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace RECTO::classic {
namespace {

/// The least-squares line through (log x, log(y - offset)).
PowerLaw line(std::span<const double> x, std::span<const double> y, double offset) {
    const auto n = double(x.size());
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) mean_x += std::log(x[i]) / n, mean_y += std::log(y[i] - offset) / n;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double a = std::log(x[i]) - mean_x, b = std::log(y[i] - offset) - mean_y;
        xx += a * a, xy += a * b, yy += b * b;
    }
    const double slope = xy / xx;
    return {std::exp(mean_y - slope * mean_x), -slope, offset, yy > 0 ? xy * xy / (xx * yy) : 1};
}

/// The sum of the squared relative distances of y from a law.
double distance(const PowerLaw& law, std::span<const double> x, std::span<const double> y) {
    double total = 0;
    for (std::size_t i = 0; i < x.size(); ++i) total += std::pow(std::log(law(x[i]) / y[i]), 2);
    return std::isfinite(total) ? total : std::numeric_limits<double>::infinity();
}

PowerLaw fit_once(std::span<const double> x, std::span<const double> y, bool with_offset) {
    if (!with_offset) return line(x, y, 0);
    // A grid first, since the distance may have several minima; then the best neighbourhood is refined.
    const double top = *std::ranges::min_element(y);
    double low = 0, high = top * (1 - 1e-9), best = 0;
    for (int round = 0; round < 6; ++round) {
        constexpr int cells = 40;
        double nearest = std::numeric_limits<double>::infinity();
        const double step = (high - low) / cells;
        for (int i = 0; i <= cells; ++i) {
            const double offset = low + step * i;
            if (const double far = distance(line(x, y, offset), x, y); far < nearest) nearest = far, best = offset;
        }
        low = std::max(0.0, best - step), high = std::min(top * (1 - 1e-9), best + step);
    }
    return line(x, y, best);
}

}  // namespace

double PowerLaw::operator()(double x) const { return scale * std::pow(x, -exponent) + offset; }

PowerLaw fit_power_law(std::span<const double> x, std::span<const double> y, Generator& random,
                       const PowerLawOptions& options) {
    const std::size_t least = options.offset ? 4 : 3;
    check(x.size() == y.size(), "power law: wanted as many y as x, got {} and {}", y.size(), x.size());
    check(x.size() >= least, "power law: wanted at least {} points, got {}", least, x.size());
    const auto good = [](double v) { return v > 0 && std::isfinite(v); };
    check(std::ranges::all_of(x, good) && std::ranges::all_of(y, good), "power law: wanted positive finite numbers");
    check(std::ranges::min(x) < std::ranges::max(x), "power law: wanted at least two different x, got {} alone", x[0]);
    check(options.draws >= 0, "power law: wanted at least 0 draws, got {}", options.draws);

    PowerLaw law = fit_once(x, y, options.offset);
    std::vector<double> exponents, some_x(x.size()), some_y(y.size());
    while (std::ssize(exponents) < options.draws) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto k = std::size_t(random.next_integer(0, std::ssize(x)));
            some_x[i] = x[k], some_y[i] = y[k];
        }
        if (std::ranges::min(some_x) == std::ranges::max(some_x)) continue;  // no line through a single x
        exponents.push_back(fit_once(some_x, some_y, options.offset).exponent);
    }
    std::ranges::sort(exponents);
    law.lowest = law.highest = law.exponent;
    if (!exponents.empty()) {
        const auto last = double(exponents.size() - 1);
        law.lowest = exponents[std::size_t(std::floor(0.025 * last))];
        law.highest = exponents[std::size_t(std::ceil(0.975 * last))];
    }
    return law;
}

}  // namespace RECTO::classic
