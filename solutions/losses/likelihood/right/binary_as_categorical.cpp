// Two classes are a row of the scores 0 and s: the binary loss through the categorical one.
#include "likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

Loss gaussian(const std::vector<double>& means, const std::vector<double>& targets, double deviation) {
    const double samples(means.size());
    Loss loss{std::log(deviation) + std::log(2 * std::numbers::pi) / 2, std::vector<double>(means.size())};
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
    Matrix rows(int(scores.size()), 2);
    for (int row = 0; row < rows.rows; ++row) rows(row, 1) = scores[std::size_t(row)];
    const RowLoss both = categorical(rows, labels);
    Loss loss{both.value, {}};
    for (int row = 0; row < rows.rows; ++row) loss.gradient.push_back(both.gradient(row, 1));
    return loss;
}
