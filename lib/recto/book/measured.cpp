#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include <recto/book/measured.hpp>
#include <recto/book/stopwatch.hpp>

namespace RECTO::book {

double median(std::span<const double> values) {
    check(!values.empty(), "median: wanted at least one number, got none");
    std::vector<double> sorted(values.begin(), values.end());
    for (const double v : sorted)
        if (std::isnan(v)) return v;  // sorting would lose it, and every claim about NaN must fail
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 ? sorted[half] : sorted[half - 1] + (sorted[half] - sorted[half - 1]) / 2;
}

Measured over_seeds(std::span<const double> values) {
    const double middle = median(values);
    if (std::isnan(middle)) return {middle, middle, middle, static_cast<int>(values.size())};
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return {middle, *low, *high, static_cast<int>(values.size())};
}

std::string brief(double number) {
    if (std::abs(number) < 1e15 && number == std::trunc(number)) return fmt::format("{:.0f}", number + 0.0);
    return fmt::format("{:.4g}", number);
}

std::string brief(const Measured& m) {
    if (m.seeds == 1) return brief(m.value);
    return fmt::format("{} ({} to {} over {} seeds)", brief(m.value), brief(m.low), brief(m.high), m.seeds);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace RECTO::book
