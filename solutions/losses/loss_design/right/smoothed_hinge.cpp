// A hinge with a round corner, a map of bins, and turned labels.
#include "loss_design.hpp"

#include <algorithm>
#include <cmath>
#include <map>


struct Piece {
    double value, slope;
};

// The mean over the samples of f(score, label), with its gradient.
template <class F>
static Loss mean(const std::vector<double>& scores, const std::vector<int>& labels, F f) {
    Loss loss{0, {}};
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const Piece one = f(scores[i], labels[i]);
        loss.value += one.value;
        loss.gradient.push_back(one.slope / double(scores.size()));
    }
    loss.value /= double(scores.size());
    return loss;
}

// A hinge whose corner is round: a parabola between the margins 0 and 1.
double surrogate(double margin) { return margin >= 1 ? 0 : margin >= 0 ? (1 - margin) * (1 - margin) : 1 - 2 * margin; }

double surrogate_slope(double margin) { return -2 * std::clamp(1 - margin, 0.0, 1.0); }

int most_errors(double mean_cross_entropy, int samples) {
    const double bits = mean_cross_entropy / std::numbers::ln2;
    return bits >= 1 ? samples : int(bits * samples);
}

Loss hinge(const std::vector<double>& scores, const std::vector<int>& labels) {
    return mean(scores, labels, [](double s, int y) { return s * y < 1 ? Piece{1 - s * y, -double(y)} : Piece{0, 0}; });
}

Loss cross_entropy(const std::vector<double>& scores, const std::vector<int>& labels) {
    return mean(scores, labels, [](double s, int y) {
        const double m = s * y;
        if (m > 0) return Piece{std::log1p(std::exp(-m)), -y * std::exp(-m) / (1 + std::exp(-m))};
        return Piece{-m + std::log1p(std::exp(m)), -y / (1 + std::exp(m))};
    });
}

Loss squared(const std::vector<double>& scores, const std::vector<int>& labels) {
    return mean(scores, labels, [](double s, int y) { return Piece{(s - y) * (s - y), 2 * s - 2 * y}; });
}

Curve calibration(const std::vector<double>& probabilities, const std::vector<int>& labels, int bins) {
    std::map<int, std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        int bin = int(std::floor(probabilities[i] * bins));
        if (bin == bins) --bin;
        members[bin].push_back(i);
    }
    const std::size_t size = std::size_t(bins);
    Curve curve{std::vector<int>(size, 0), std::vector<double>(size, 0), std::vector<double>(size, 0), 0};
    for (const auto& [bin, samples] : members) {
        const double share = 1 / double(samples.size());
        for (const std::size_t i : samples) {
            curve.confidence[std::size_t(bin)] += share * probabilities[i];
            curve.frequency[std::size_t(bin)] += share * labels[i];
        }
        curve.count[std::size_t(bin)] = int(samples.size());
        curve.error += double(samples.size()) / double(probabilities.size()) *
                       std::abs(curve.confidence[std::size_t(bin)] - curve.frequency[std::size_t(bin)]);
    }
    return curve;
}

// The labels the other way round: small numbers are 1.
Data misled() { return {{3, 2.5, 0, -1, -900}, {-1, -1, -1, 1, 1}}; }
