#include <algorithm>
#include <cmath>

#include <recto/figure/ramp.hpp>

namespace RECTO::figure {

Rgb viridis(double part) {
    // Every sixteenth colour of the published table; linear interpolation stays within 5 of 255 of the others.
    static constexpr std::array<Rgb, 17> knots{{{68, 1, 84},
                                                {72, 25, 107},
                                                {71, 45, 123},
                                                {66, 64, 134},
                                                {59, 82, 139},
                                                {52, 99, 141},
                                                {44, 114, 142},
                                                {39, 130, 142},
                                                {33, 145, 141},
                                                {31, 159, 136},
                                                {40, 174, 128},
                                                {62, 188, 116},
                                                {93, 201, 99},
                                                {130, 211, 76},
                                                {171, 220, 50},
                                                {213, 226, 27},
                                                {253, 231, 37}}};
    if (std::isnan(part)) return {128, 128, 128};
    const double at = std::clamp(part, 0.0, 1.0) * 16;
    const auto below = std::min(static_cast<std::size_t>(at), std::size_t(15));
    Rgb color{};
    for (std::size_t c = 0; c < 3; ++c)
        color[c] = static_cast<std::uint8_t>(std::lround(
            std::lerp(double(knots[below][c]), double(knots[below + 1][c]), at - static_cast<double>(below))));
    return color;
}

std::pair<double, double> range(std::span<const double> numbers) {
    double low = INFINITY, high = -INFINITY;
    for (const double v : numbers)
        if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
    return {low, high};
}

std::vector<std::uint8_t> ramp(std::span<const double> numbers) {
    const auto [low, high] = range(numbers);
    const double span = high > low ? high - low : 1;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(3 * numbers.size());
    for (const double v : numbers)
        for (const std::uint8_t c : viridis((v - low) / span)) bytes.push_back(c);
    return bytes;
}

}  // namespace RECTO::figure
