// tanh and cosh for two classes, standard algorithms for the others.
#include "likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>

static double mean_square(const std::vector<double>& a, const std::vector<double>& b) {
    const auto square = [](double x, double y) { return (x - y) * (x - y); };
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(), square) / double(a.size());
}

Loss gaussian(const std::vector<double>& means, const std::vector<double>& targets, double deviation) {
    const double precision = 1 / (deviation * deviation);
    Loss loss{(std::log(2 * std::numbers::pi / precision) + precision * mean_square(means, targets)) / 2, {}};
    std::transform(means.begin(), means.end(), targets.begin(), std::back_inserter(loss.gradient),
                   [&](double m, double t) { return precision * (m - t) / double(means.size()); });
    return loss;
}

double best_deviation(const std::vector<double>& means, const std::vector<double>& targets) {
    return std::sqrt(mean_square(means, targets));
}

RowLoss categorical(const Matrix& scores, const std::vector<int>& labels) {
    RowLoss loss{0, scores};
    auto row = loss.gradient.numbers.begin();
    for (const int label : labels) {
        const auto end = row + scores.cols;
        const double top = *std::max_element(row, end);
        const double level =
            top + std::log(std::transform_reduce(row, end, 0.0, std::plus<>(), [top](double s) { return std::exp(s - top); }));
        loss.value += (level - row[label]) / scores.rows;
        std::transform(row, end, row, [&](double s) { return std::exp(s - level) / scores.rows; });
        row[label] -= 1.0 / scores.rows;
        row = end;
    }
    return loss;
}

// The sigmoid is (1 + tanh(score / 2)) / 2, and minus its logarithm log(2 cosh(score / 2)) - score / 2.
Loss binary(const std::vector<double>& scores, const std::vector<int>& labels) {
    Loss loss{0, {}};
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const double half = scores[i] / 2, sign = labels[i] ? 1 : -1;
        const double cosine = std::fabs(half) + std::log1p(std::exp(-2 * std::fabs(half)));
        loss.value += cosine - sign * half;
        loss.gradient.push_back((std::tanh(half) - sign) / 2 / double(scores.size()));
    }
    loss.value /= double(scores.size());
    return loss;
}
