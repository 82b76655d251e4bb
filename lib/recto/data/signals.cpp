#include <recto/data/signals.hpp>

#include <algorithm>
#include <cmath>

namespace RECTO::data {
namespace {

constexpr Index places = 60, reach = 4;  // reach: the noise is averaged over this many neighbours on each side

/// Drawn by hand: any two differ by more than height, position and a straight line, which are random.
constexpr std::array<SignalTemplate, std::size_t(signal_classes)> drawn = {{
    {0, 3, 6, 8, 9, 9, 9, 9, 8, 6, 3, 0},  // a hill
    {1, 0, 0, 0, 2, 9, 9, 2, 0, 0, 0, 1},  // a needle
    {0, 5, 9, 5, 1, 0, 0, 1, 5, 9, 5, 0},  // two humps
    {9, 9, 4, 0, 0, 0, 0, 3, 8, 4, 0, 0},  // a fall, and an echo
    {0, 1, 2, 3, 5, 6, 8, 9, 9, 0, 0, 0},  // a slow rise, a sudden fall
    {9, 2, 0, 0, 1, 2, 3, 4, 5, 6, 8, 9},  // a sudden fall, a slow rise
    {4, 8, 9, 5, 1, 0, 1, 5, 9, 8, 4, 4},  // down and up
    {2, 0, 3, 9, 9, 9, 4, 4, 4, 0, 0, 2},  // stairs
    {0, 9, 2, 8, 1, 7, 2, 6, 3, 5, 4, 4},  // a trembling that dies away
    {3, 3, 9, 6, 3, 0, 0, 3, 6, 9, 3, 3},  // a valley between two cliffs
}};

/// Linear interpolation between numbers at the positions 0, 1, ...
double between(std::span<const double> at, double place) {
    const auto left = std::min(std::size_t(place), at.size() - 2);
    const double share = place - double(left);
    return (1 - share) * at[left] + share * at[left + 1];
}

/// Independent normal numbers, each averaged with its neighbours by a Gaussian of width 2, with this standard
/// deviation.
std::array<double, places> slow_noise(double deviation, Generator& random) {
    std::array<double, places + 2 * reach> raw;
    for (double& r : raw) r = random.next_normal();
    std::array<double, 2 * reach + 1> bell;
    double squares = 0;
    for (Index i = -reach; i <= reach; ++i) {
        const double b = std::exp(-double(i * i) / 8);
        bell[std::size_t(i + reach)] = b, squares += b * b;
    }
    std::array<double, places> made{};
    for (std::size_t i = 0; i < made.size(); ++i)
        for (std::size_t j = 0; j < bell.size(); ++j) made[i] += deviation / std::sqrt(squares) * bell[j] * raw[i + j];
    return made;
}

}  // namespace

SignalTemplate signal_template(Index label) {
    check(label >= 0 && label < signal_classes, "signal_template: wanted a label from 0 to {}, got {}",
          signal_classes - 1, label);
    SignalTemplate t = drawn[std::size_t(label)];
    double mean = 0, square = 0;
    for (const double y : t) mean += y / double(t.size());
    for (const double y : t) square += (y - mean) * (y - mean) / double(t.size());
    for (double& y : t) y = (y - mean) / std::sqrt(square);
    return t;
}

Examples signals(Index count, Generator& random, const SignalOptions& options) {
    check(count >= 1, "signals: wanted at least one signal, got {}", count);
    for (const double o : {options.scale, options.shear, options.noise})
        check(std::isfinite(o) && o >= 0, "signals: wanted options of at least 0 and finite, got {}", o);
    const std::uint64_t seed = random.seed();
    std::array<SignalTemplate, std::size_t(signal_classes)> templates;
    for (Index k = 0; k < signal_classes; ++k) templates[std::size_t(k)] = signal_template(k);
    std::vector<Real> x;
    std::vector<Index> labels;
    for (Index n = 0; n < count; ++n) {
        const Index label = random.next_integer(0, signal_classes);
        const Index width = options.shift ? random.next_integer(24, 49) : 36;
        const Index begin = options.shift ? random.next_integer(0, places - width + 1) : (places - width) / 2;
        const double factor = 1 + options.scale * random.next_normal(), lift = options.shear * random.next_normal();
        std::array<double, places> signal = slow_noise(options.noise, random);
        for (Index i = 0; i < width; ++i) {
            const double along = double(i) / double(width - 1);
            signal[std::size_t(begin + i)] +=
                factor * between(templates[std::size_t(label)], 11 * along) + lift * (along - 0.5);
        }
        for (Index i = 0; i < signal_length; ++i)
            x.push_back(Real(between(signal, double(places - 1) * double(i) / double(signal_length - 1))));
        labels.push_back(label);
    }
    return {Tensor({count, signal_length}, x),
            Integers({count}, labels),
            {},
            fmt::format("synthetic: {} signals of {} numbers in {} classes, seed {}", count, signal_length,
                        signal_classes, seed)};
}

}  // namespace RECTO::data
