// The logistic loss moved by 1, counting by a loop, and each bin by itself.
#include "loss_design.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>


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

// The logistic loss, moved to the right by 1.
double surrogate(double margin) {
    const double x = 1 - margin;
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

double surrogate_slope(double margin) { return -0.5 - 0.5 * std::tanh((1 - margin) / 2); }

int most_errors(double mean_cross_entropy, int samples) {
    int errors = 0;
    while (errors < samples && (errors + 1) * std::log(2.0) <= mean_cross_entropy * samples) ++errors;
    return errors;
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
    Curve curve{{}, {}, {}, 0};
    for (int bin = 0; bin < bins; ++bin) {
        std::vector<double> inside;
        int ones = 0;
        for (std::size_t i = 0; i < probabilities.size(); ++i) {
            const double place = probabilities[i] * bins;
            if (place < bin || (place >= bin + 1 && bin + 1 < bins)) continue;
            inside.push_back(probabilities[i]);
            ones += labels[i];
        }
        const double count = double(std::max<std::size_t>(1, inside.size()));
        curve.count.push_back(int(inside.size()));
        curve.confidence.push_back(std::accumulate(inside.begin(), inside.end(), 0.0) / count);
        curve.frequency.push_back(ones / count);
        curve.error += double(inside.size()) * std::fabs(curve.frequency.back() - curve.confidence.back());
    }
    curve.error /= double(probabilities.size());
    return curve;
}

Data misled() {
    Data data;
    for (int i = 0; i < 10; ++i) {
        data.x.push_back(i < 5 ? -1 : i == 5 ? 0 : 500);
        data.y.push_back(i < 5 ? -1 : 1);
    }
    return data;
}
