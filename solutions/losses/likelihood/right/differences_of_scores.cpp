// Logarithms of sums term by term, expm1, hypot, and a case for each label.
#include "likelihood.hpp"

#include <cmath>

// log(1 + e^x), for any x.
static double soft(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

static double sigmoid(double x) {
    if (x < 0) return std::exp(x) / (1 + std::exp(x));
    return 1 / (1 + std::exp(-x));
}

Loss gaussian(const std::vector<double>& means, const std::vector<double>& targets, double deviation) {
    Loss loss{0, std::vector<double>(means.size())};
    for (std::size_t i = means.size(); i-- > 0;) {
        const double z = (targets[i] - means[i]) / deviation;
        loss.value += z * z + std::log(2 * std::numbers::pi) + 2 * std::log(deviation);
        loss.gradient[i] = -z / (deviation * double(means.size()));
    }
    loss.value /= 2 * double(means.size());
    return loss;
}

// hypot squares, adds and takes the root.
double best_deviation(const std::vector<double>& means, const std::vector<double>& targets) {
    double length = 0;
    for (std::size_t i = 0; i < means.size(); ++i) length = std::hypot(length, means[i] - targets[i]);
    return length / std::sqrt(double(means.size()));
}

// log(e^a + e^b) = a + log(1 + e^(b - a)), one class after the other.
RowLoss categorical(const Matrix& scores, const std::vector<int>& labels) {
    RowLoss loss{0, Matrix(scores.rows, scores.cols)};
    for (int n = 0; n < scores.rows; ++n) {
        double level = scores(n, 0);
        for (int k = 1; k < scores.cols; ++k) level += soft(scores(n, k) - level);
        for (int k = 0; k < scores.cols; ++k) {
            const bool chosen = k == labels[std::size_t(n)];
            if (chosen) loss.value += level - scores(n, k);
            loss.gradient(n, k) = (chosen ? std::expm1(scores(n, k) - level) : std::exp(scores(n, k) - level)) / scores.rows;
        }
    }
    loss.value /= scores.rows;
    return loss;
}

Loss binary(const std::vector<double>& scores, const std::vector<int>& labels) {
    Loss loss{0, {}};
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (labels[i] == 1) {
            loss.value += soft(-scores[i]) / double(scores.size());
            loss.gradient.push_back(-sigmoid(-scores[i]) / double(scores.size()));
        } else {
            loss.value += soft(scores[i]) / double(scores.size());
            loss.gradient.push_back(sigmoid(scores[i]) / double(scores.size()));
        }
    }
    return loss;
}
