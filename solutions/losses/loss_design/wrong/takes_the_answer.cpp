// wrong: takes-the-answer
// outcome: did not compile
#include <recto/ops/losses/binary_cross_entropy.hpp>

#include "loss_design.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

// The cross-entropy in bits: at the margin 0 it is 1, which the natural logarithm is not.
double surrogate(double margin) {
    return (std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin)))) / std::numbers::ln2;
}

double surrogate_slope(double margin) { return -1 / (1 + std::exp(margin)) / std::numbers::ln2; }

// Each error costs ln 2 at least, and nothing costs less than 0.
int most_errors(double mean_cross_entropy, int samples) {
    return int(std::min<double>(samples, std::floor(samples * mean_cross_entropy / std::numbers::ln2)));
}

Loss hinge(const std::vector<double>& scores, const std::vector<int>& labels) {
    Loss loss{0, std::vector<double>(scores.size())};
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const double margin = labels[i] * scores[i];
        if (margin >= 1) continue;
        loss.value += (1 - margin) / double(scores.size());
        loss.gradient[i] = -labels[i] / double(scores.size());
    }
    return loss;
}

Loss cross_entropy(const std::vector<double>& scores, const std::vector<int>& labels) {
    Loss loss{0, std::vector<double>(scores.size())};
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const double margin = labels[i] * scores[i], tail = std::exp(-std::abs(margin));
        loss.value += (std::max(-margin, 0.0) + std::log1p(tail)) / double(scores.size());
        const double doubt = (margin < 0 ? 1 : tail) / (1 + tail);  // what the other label gets
        loss.gradient[i] = -labels[i] * doubt / double(scores.size());
    }
    return loss;
}

Loss squared(const std::vector<double>& scores, const std::vector<int>& labels) {
    Loss loss{0, std::vector<double>(scores.size())};
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const double error = scores[i] - labels[i];
        loss.value += error * error / double(scores.size());
        loss.gradient[i] = 2 * error / double(scores.size());
    }
    return loss;
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
