// wrong: squares-alone
#include "likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

Loss gaussian(const std::vector<double>& means, const std::vector<double>& targets, double deviation) {
    const double samples(means.size());
    Loss loss{0, std::vector<double>(means.size())};
    for (std::size_t i = 0; i < means.size(); ++i) {
        const double error = (means[i] - targets[i]) / deviation;
        loss.value += error * error / 2 / samples;
        loss.gradient[i] = error / deviation / samples;
    }
    return loss;
}

double best_deviation(const std::vector<double>& means, const std::vector<double>& targets) {
    double sum = 0;
    for (std::size_t i = 0; i < means.size(); ++i) sum += (means[i] - targets[i]) * (means[i] - targets[i]);
    return std::sqrt(sum / double(means.size()));
}

RowLoss categorical(const Matrix& scores, const std::vector<int>& labels) {
    RowLoss loss{0, Matrix(scores.rows, scores.cols)};
    for (int row = 0; row < scores.rows; ++row) {
        double largest = scores(row, 0), sum = 0;
        for (int col = 1; col < scores.cols; ++col) largest = std::max(largest, scores(row, col));
        for (int col = 0; col < scores.cols; ++col) sum += std::exp(scores(row, col) - largest);
        const int label = labels[std::size_t(row)];
        loss.value += (largest - scores(row, label) + std::log(sum)) / scores.rows;
        for (int col = 0; col < scores.cols; ++col)
            loss.gradient(row, col) = (std::exp(scores(row, col) - largest) / sum - (col == label)) / scores.rows;
    }
    return loss;
}

Loss binary(const std::vector<double>& scores, const std::vector<int>& labels) {
    const double samples(scores.size());
    Loss loss{0, std::vector<double>(scores.size())};
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const double towards = labels[i] == 1 ? scores[i] : -scores[i];  // how much the score is for the label
        loss.value += (std::max(-towards, 0.0) + std::log1p(std::exp(-std::abs(towards)))) / samples;
        loss.gradient[i] = (1 / (1 + std::exp(-scores[i])) - labels[i]) / samples;
    }
    return loss;
}
