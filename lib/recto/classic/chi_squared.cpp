#include <recto/classic/chi_squared.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace RECTO::classic {

double chi_squared_tail(double x, Index freedom) {
    check(freedom >= 1, "chi_squared_tail: wanted a freedom of at least 1, got {}", freedom);
    if (x <= 0) return 1;
    const double half = x / 2;
    const bool odd = freedom % 2 == 1;
    // The terms of the series are half^a e^-half / Gamma(a + 1) for a = 0, 1, ... or 1/2, 3/2, ...
    double a = odd ? 0.5 : 0;
    double tail = odd ? std::erfc(std::sqrt(half)) : 0;
    double term = odd ? 2 * std::sqrt(half / std::numbers::pi) * std::exp(-half) : std::exp(-half);
    for (; a < double(freedom) / 2 - 0.25; a += 1) {
        tail += term;
        term *= half / (a + 1);
    }
    return std::min(tail, 1.0);
}

double chi_squared_p_value(std::span<const Index> drawn, std::span<const Real> probabilities) {
    std::vector<double> counts(probabilities.size());
    for (const Index i : drawn) {
        check(i >= 0 && i < Index(counts.size()), "chi_squared_p_value: wanted indices below {}, got {}", counts.size(),
              i);
        counts[std::size_t(i)] += 1;
    }
    const double total = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
    Index possible = 0;
    double distance = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const double expected = double(probabilities[i]) / total * double(drawn.size());
        if (probabilities[i] > 0) {
            ++possible;
            if (!drawn.empty()) distance += (counts[i] - expected) * (counts[i] - expected) / expected;
        } else if (counts[i] > 0) {
            return 0;
        }
    }
    check(possible >= 2, "chi_squared_p_value: wanted two positive probabilities, got {}", possible);
    return chi_squared_tail(distance, possible - 1);
}

}  // namespace RECTO::classic
