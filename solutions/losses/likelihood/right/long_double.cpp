// The formulas as they stand, in long double, whose exponentials do not overflow here.
#include "likelihood.hpp"

#include <algorithm>
#include <cmath>

using Long = long double;

Loss gaussian(const std::vector<double>& means, const std::vector<double>& targets, double deviation) {
    Loss loss{0, {}};
    Long sum = 0;
    const Long variance = Long(deviation) * deviation, samples = means.size();
    for (std::size_t i = 0; i < means.size(); ++i) {
        const Long error = Long(means[i]) - targets[i];
        sum += std::log(2 * std::numbers::pi_v<Long> * variance) / 2 + error * error / (2 * variance);
        loss.gradient.push_back(double(error / (variance * samples)));
    }
    loss.value = double(sum / samples);
    return loss;
}

double best_deviation(const std::vector<double>& means, const std::vector<double>& targets) {
    Long sum = 0;
    for (std::size_t i = 0; i < means.size(); ++i) sum += std::pow(Long(means[i]) - targets[i], 2);
    return double(std::sqrt(sum / Long(means.size())));
}

// A long double holds exp(11000): the formula may stand as it is, with any middle of the row taken off.
RowLoss categorical(const Matrix& scores, const std::vector<int>& labels) {
    RowLoss loss{0, Matrix(scores.rows, scores.cols)};
    Long value = 0;
    for (int n = 0; n < scores.rows; ++n) {
        Long sum = 0;
        for (int k = 0; k < scores.cols; ++k) sum += std::exp(Long(scores(n, k)));
        value += std::log(sum) - scores(n, labels[std::size_t(n)]);
        for (int k = 0; k < scores.cols; ++k)
            loss.gradient(n, k) = double((std::exp(Long(scores(n, k))) / sum - (k == labels[std::size_t(n)] ? 1 : 0)) / scores.rows);
    }
    loss.value = double(value / scores.rows);
    return loss;
}

Loss binary(const std::vector<double>& scores, const std::vector<int>& labels) {
    Loss loss{0, {}};
    Long value = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const Long sign = labels[i] == 1 ? -1 : 1;
        value += std::log1p(std::exp(sign * scores[i]));
        loss.gradient.push_back(double(sign / (1 + std::exp(-sign * scores[i])) / Long(scores.size())));
    }
    loss.value = double(value / Long(scores.size()));
    return loss;
}
