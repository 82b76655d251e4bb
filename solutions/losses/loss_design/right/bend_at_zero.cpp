// A surrogate with a kink, a search by halves, and a bin too many that is merged.
#include "loss_design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>


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

// A line for errors, an exponential for what is right: their slopes at 0 differ.
double surrogate(double margin) { return margin <= 0 ? 1 - 3 * margin : std::exp(-margin); }

double surrogate_slope(double margin) { return margin <= 0 ? -3 : -std::exp(-margin); }

int most_errors(double mean_cross_entropy, int samples) {
    int low = 0, high = samples;  // low errors are possible; more than high are not
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (middle * std::numbers::ln2_v<long double> <= (long double)mean_cross_entropy * samples)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
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
    struct Bin {
        int count = 0, ones = 0;
        long double sum = 0;
    };
    std::vector<Bin> all(std::size_t(bins) + 1);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        Bin& bin = all[std::size_t(probabilities[i] * bins)];
        bin.count += 1;
        bin.ones += labels[i];
        bin.sum += probabilities[i];
    }
    all[std::size_t(bins) - 1].count += all.back().count;
    all[std::size_t(bins) - 1].ones += all.back().ones;
    all[std::size_t(bins) - 1].sum += all.back().sum;
    all.pop_back();
    Curve curve;
    curve.error = 0;
    for (const Bin& bin : all) {
        curve.count.push_back(bin.count);
        curve.confidence.push_back(bin.count ? double(bin.sum / bin.count) : 0);
        curve.frequency.push_back(bin.count ? double(bin.ones) / bin.count : 0);
        curve.error += double(std::abs(bin.ones - bin.sum)) / double(labels.size());
    }
    return curve;
}

Data misled() { return {{-1, -0.5, 0, 1000}, {-1, -1, 1, 1}}; }
