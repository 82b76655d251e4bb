// A squared hinge: smooth, and 0 beyond the margin 1. The losses call one template with a function for a sample.
#include "loss_design.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

double surrogate(double margin) { return margin < 1 ? (1 - margin) * (1 - margin) : 0; }

double surrogate_slope(double margin) { return margin < 1 ? 2 * (margin - 1) : 0; }

// Each error costs ln 2 at least, and nothing costs less than 0.
int most_errors(double mean_cross_entropy, int samples) {
    return int(std::min<double>(samples, std::floor(samples * mean_cross_entropy / std::numbers::ln2)));
}

// What a sample costs at this margin, and the derivative with respect to the margin.
template <class OfMargin>
static Loss mean(const std::vector<double>& scores, const std::vector<int>& labels, OfMargin cost) {
    Loss loss{0, {}};
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const auto [value, slope] = cost(scores[i] * labels[i]);
        loss.value += value;
        loss.gradient.push_back(slope * labels[i] / double(scores.size()));
    }
    loss.value /= double(scores.size());
    return loss;
}

Loss hinge(const std::vector<double>& scores, const std::vector<int>& labels) {
    return mean(scores, labels, [](double m) { return m < 1 ? std::pair(1 - m, -1.0) : std::pair(0.0, 0.0); });
}

Loss cross_entropy(const std::vector<double>& scores, const std::vector<int>& labels) {
    return mean(scores, labels, [](double m) {
        const double value = m > 0 ? std::log1p(std::exp(-m)) : std::log1p(std::exp(m)) - m;
        return std::pair(value, (std::tanh(m / 2) - 1) / 2);
    });
}

// (score - label) squared is (1 - margin) squared.
Loss squared(const std::vector<double>& scores, const std::vector<int>& labels) {
    return mean(scores, labels, [](double m) { return std::pair((1 - m) * (1 - m), 2 * m - 2); });
}

Curve calibration(const std::vector<double>& probabilities, const std::vector<int>& labels, int bins) {
    const std::size_t size(bins);
    Curve curve{std::vector<int>(size), std::vector<double>(size), std::vector<double>(size), 0};
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        const std::size_t bin(std::min(int(probabilities[i] * bins), bins - 1));
        ++curve.count[bin];
        curve.confidence[bin] += probabilities[i];
        curve.frequency[bin] += labels[i];
    }
    for (std::size_t bin = 0; bin < size; ++bin) {
        if (curve.count[bin] == 0) continue;
        curve.error += std::abs(curve.frequency[bin] - curve.confidence[bin]) / double(probabilities.size());
        curve.confidence[bin] /= curve.count[bin];
        curve.frequency[bin] /= curve.count[bin];
    }
    return curve;
}

// The line bends towards the point far out, which is right already, and away from those at 2 and 3.
Data misled() { return {{-4, -3, -2, 2, 3, 60}, {-1, -1, -1, 1, 1, 1}}; }
