// Bin after bin, each with a walk through all samples; a surrogate of two pieces that meet; a loop counts errors.
#include "loss_design.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

double surrogate(double margin) {
    return margin < 0 ? 1 - 3 * margin : 1 / ((1 + margin) * (1 + margin) * (1 + margin));
}

double surrogate_slope(double margin) {
    return margin < 0 ? -3 : -3 / ((1 + margin) * (1 + margin) * (1 + margin) * (1 + margin));
}

// Each error costs ln 2 at least, and nothing costs less than 0.
int most_errors(double mean_cross_entropy, int samples) {
    int errors = 0;
    while (errors < samples && (errors + 1) * std::log(2) <= mean_cross_entropy * samples) ++errors;
    return errors;
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
    Curve curve{{}, {}, {}, 0};
    for (int bin = 0; bin < bins; ++bin) {
        long double sure = 0, ones = 0;
        int inside = 0;
        for (std::size_t i = 0; i < probabilities.size(); ++i) {
            const double p = probabilities[i];
            if (p * bins < bin || (p * bins >= bin + 1 && bin + 1 < bins)) continue;
            sure += p;
            ones += labels[i];
            ++inside;
        }
        const int divisor = inside == 0 ? 1 : inside;
        curve.count.push_back(inside);
        curve.confidence.push_back(double(sure / divisor));
        curve.frequency.push_back(double(ones / divisor));
        curve.error +=
            inside * std::abs(curve.frequency.back() - curve.confidence.back()) / double(probabilities.size());
    }
    return curve;
}

// The line bends towards the point far out, which is right already, and away from those at 2 and 3.
Data misled() { return {{-4, -3, -2, 2, 3, 60}, {-1, -1, -1, 1, 1, 1}}; }
