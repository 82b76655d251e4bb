#pragma once
// Losses as negative logarithms of probabilities: each is the mean over the samples, with its gradient.
#include <numbers>
#include <vector>

#include "matrix.hpp"

struct Loss {
    double value;
    std::vector<double> gradient;  // by each prediction
};

struct RowLoss {
    double value;
    Matrix gradient;  // by each score, (samples, classes)
};

// The targets come from normal distributions with these means, all with the same standard deviation.
Loss gaussian(const std::vector<double>& means, const std::vector<double>& targets, double deviation);

// The deviation for which `gaussian` is smallest. There is at least one target that differs from its mean.
double best_deviation(const std::vector<double>& means, const std::vector<double>& targets);

// Each row of scores, (samples, classes), stands for the probabilities that its softmax gives; labels count from 0.
RowLoss categorical(const Matrix& scores, const std::vector<int>& labels);

// The probability of the label 1 is 1 / (1 + exp(-score)); labels are 0 or 1.
Loss binary(const std::vector<double>& scores, const std::vector<int>& labels);
