#include <recto/data/curves.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace RECTO::data {
namespace {
constexpr double pi = std::numbers::pi;

/// The curve at these positions, with normal noise.
Samples observe(const std::function<double(double)>& curve, const std::vector<double>& places, double noise,
                Generator& random, std::string_view where) {
    check(!places.empty(), "samples: wanted at least one sample, got none");
    Samples s{places, {}, ""};
    s.source = fmt::format("synthetic: {} samples of a curve, {}, with normal noise of deviation {}, seed {}",
                           places.size(), where, noise, random.seed());
    for (const double x : places) s.y.push_back(curve(x) + noise * random.next_normal());
    return s;
}

}  // namespace

double smooth_curve(double x) { return 0.8 * std::sin(2 * pi * x) + 0.4 * std::cos(3 * pi * x + 1); }
double periodic_curve(double x) { return std::sin(2 * pi * x) + 0.5 * std::cos(4 * pi * x); }
double heteroscedastic_mean(double x) { return std::sin(2 * pi * x); }
double heteroscedastic_deviation(double x) { return 0.1 + 0.4 * x; }

std::vector<double> even_grid(Index count, double low, double high) {
    check(count >= 1, "even_grid: wanted at least one number, got {}", count);
    if (count == 1) return {(low + high) / 2};
    std::vector<double> x;
    for (Index i = 0; i < count; ++i) x.push_back(low + (high - low) * double(i) / double(count - 1));
    return x;
}

Samples noisy_samples(const std::function<double(double)>& curve, Index count, double low, double high, double noise,
                      Generator& random) {
    check(low < high, "noisy_samples: wanted low below high, got {} and {}", low, high);
    std::vector<double> x;
    for (Index i = 0; i < count; ++i) x.push_back(low + (high - low) * random.next_uniform());
    std::ranges::sort(x);
    return observe(curve, x, noise, random, fmt::format("uniform on [{}, {}]", low, high));
}

Samples spread_samples(const std::function<double(double)>& curve, Index count, double low, double high, double noise,
                       Generator& random) {
    check(low < high, "spread_samples: wanted low below high, got {} and {}", low, high);
    std::vector<double> x;
    for (Index i = 0; i < count; ++i)
        x.push_back(low + (high - low) * (double(i) + random.next_uniform()) / double(count));
    return observe(curve, x, noise, random, fmt::format("spread over [{}, {}]", low, high));
}

Samples heteroscedastic_samples(Index count, Generator& random) {
    Samples s = noisy_samples(heteroscedastic_mean, count, 0, 1, 0, random);
    for (std::size_t i = 0; i < s.x.size(); ++i) s.y[i] += heteroscedastic_deviation(s.x[i]) * random.next_normal();
    s.source = fmt::format("synthetic: {} samples of a sine on [0, 1] whose noise grows with x, seed {}", count,
                           random.seed());
    return s;
}

Samples select(const Samples& all, std::span<const Index> which) {
    std::vector<Index> order(which.begin(), which.end());
    std::ranges::sort(order);
    Samples s;
    s.source = all.source;
    for (const Index i : order) {
        check(i >= 0 && i < all.size(), "select: wanted rows from 0 to {}, got {}", all.size() - 1, i);
        s.x.push_back(all.x[std::size_t(i)]);
        s.y.push_back(all.y[std::size_t(i)]);
    }
    return s;
}

double mean_squared_difference(std::span<const double> a, std::span<const double> b) {
    check(a.size() == b.size() && !a.empty(), "mean_squared_difference: wanted columns of one length, got {} and {}",
          a.size(), b.size());
    double total = 0;
    for (std::size_t i = 0; i < a.size(); ++i) total += (a[i] - b[i]) * (a[i] - b[i]);
    return total / double(a.size());
}

}  // namespace RECTO::data
