#include <recto/data/signals.hpp>

#include <algorithm>
#include <cmath>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::data;

namespace {
/// A simple reference for a signal without noise, scale and shear: the template stretched to `width` positions from
/// `begin` on.
std::vector<double> plain(Index label, int width, int begin) {
    const SignalTemplate t = signal_template(label);
    std::vector<double> wide(60, 0.0), made;
    for (int i = 0; i < width; ++i) {
        const double place = 11.0 * i / (width - 1);
        const int left = std::min(int(place), 10);
        wide[std::size_t(begin + i)] =
            t[std::size_t(left)] + (place - left) * (t[std::size_t(left + 1)] - t[std::size_t(left)]);
    }
    for (int i = 0; i < 40; ++i) {
        const double place = 59.0 * i / 39;
        const int left = std::min(int(place), 58);
        made.push_back(wide[std::size_t(left)] +
                       (place - left) * (wide[std::size_t(left + 1)] - wide[std::size_t(left)]));
    }
    return made;
}
double largest_gap(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}
std::vector<double> one(const Examples& set, Index n) {
    const auto all = set.x.values();
    return {all.begin() + n * 40, all.begin() + (n + 1) * 40};
}
}  // namespace

TEST_CASE("signals: the same seed makes the same signals", "[data][row:fig-udl-8.1/a]") {
    Generator a(7), b(7), c(8);
    const Examples first = signals(200, a), second = signals(200, b), other = signals(200, c);
    CHECK(first.x.shape() == Shape{200, 40});
    CHECK(testing::same_bits(first.x, second.x));
    CHECK(first.labels.values() == second.labels.values());
    CHECK_FALSE(testing::same_bits(first.x, other.x));
    CHECK_FALSE(testing::same_bits(first.x, signals(200, a).x));  // the generator advances
    CHECK(first.source == "synthetic: 200 signals of 40 numbers in 10 classes, seed 7");
    CHECK_FALSE(first.targets.defined());
}

TEST_CASE("signals: templates have one size, and no two differ by a scale and a line alone", "[data]") {
    for (Index k = 0; k < signal_classes; ++k) {
        const SignalTemplate t = signal_template(k);
        double sum = 0, squares = 0;
        for (const double y : t) sum += y, squares += y * y;
        CHECK(std::abs(sum) <= 1e-12);
        CHECK(std::abs(squares / 12 - 1) <= 1e-12);
        for (Index other = 0; other < k; ++other) {  // correlation after removing a straight line
            const SignalTemplate u = signal_template(other);
            double slope_t = 0, slope_u = 0, tu = 0, tt = 0, uu = 0;
            for (std::size_t i = 0; i < 12; ++i) {
                const double line = (double(i) - 5.5) / std::sqrt(143);  // of length 1, with sum 0
                slope_t += t[i] * line, slope_u += u[i] * line;
                tu += t[i] * u[i], tt += t[i] * t[i], uu += u[i] * u[i];
            }
            const double rest =
                (tu - slope_t * slope_u) / std::sqrt((tt - slope_t * slope_t) * (uu - slope_u * slope_u));
            CAPTURE(k, other);
            CHECK(std::abs(rest) <= 0.9);
        }
    }
}

TEST_CASE("signals: a template, stretched and put somewhere", "[data]") {
    Generator random(3);
    const Examples set = signals(40, random, {.scale = 0, .shear = 0, .noise = 0});
    const auto labels = set.labels.values();
    for (Index n = 0; n < set.size(); ++n) {
        double nearest = 1e9;
        for (int width = 24; width <= 48; ++width)
            for (int begin = 0; begin + width <= 60; ++begin)
                nearest = std::min(nearest, largest_gap(one(set, n), plain(labels[std::size_t(n)], width, begin)));
        CHECK(nearest <= 1e-6);
    }
    const Examples fixed = signals(20, random, {.scale = 0, .shear = 0, .noise = 0, .shift = false});
    for (Index n = 0; n < fixed.size(); ++n)
        CHECK(largest_gap(one(fixed, n), plain(fixed.labels.values()[std::size_t(n)], 36, 12)) <= 1e-6);
}

TEST_CASE("signals: those of a class vary around their template", "[data][row:fig-udl-8.1/b]") {
    // Without shifts, the mean is the template, and the variance that of scale, shear and noise.
    Generator random(5);
    const Examples set = signals(20'000, random, {.shift = false});
    const auto x = set.x.values();
    const auto labels = set.labels.values();
    for (Index k = 0; k < signal_classes; ++k) {
        const std::vector<double> want = plain(k, 36, 12);
        std::vector<double> mean(40), variance(40);
        double count = 0;
        for (const Index label : labels) count += label == k;
        CHECK(std::abs(count / 20'000 - 0.1) <= 0.01);
        for (std::size_t n = 0; n < labels.size(); ++n)
            for (std::size_t i = 0; i < 40 && labels[n] == k; ++i) mean[i] += x[40 * n + i] / count;
        for (std::size_t n = 0; n < labels.size(); ++n)
            for (std::size_t i = 0; i < 40 && labels[n] == k; ++i)
                variance[i] += (x[40 * n + i] - mean[i]) * (x[40 * n + i] - mean[i]) / count;
        CHECK(largest_gap(mean, want) <= 0.1);
        CHECK(std::ranges::min(variance) > 0);
        for (std::size_t i = 9; i < 31; ++i) {
            const double line = 59.0 * double(i) / 39 / 35 - 12.0 / 35 - 0.5;  // from -1/2 to 1/2 along the template
            const double shape = 0.16 * want[i] * want[i] + 0.5625 * line * line, noise = 0.2025;
            CHECK(variance[i] <= 1.2 * (shape + noise));
            CHECK(variance[i] >= 0.75 * (shape + noise));  // interpolation averages some noise away
        }
    }
}

TEST_CASE("signals: messages", "[data]") {
    Generator random(1);
    CHECK_THROWS_WITH(signals(0, random), "signals: wanted at least one signal, got 0");
    CHECK_THROWS_WITH(signals(1, random, {.noise = -1}), "signals: wanted options of at least 0 and finite, got -1");
    CHECK_THROWS_WITH(signals(1, random, {.shear = not_a_number}),
                      "signals: wanted options of at least 0 and finite, got nan");
    CHECK_THROWS_WITH(signal_template(10), "signal_template: wanted a label from 0 to 9, got 10");
}
