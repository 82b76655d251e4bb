#pragma once
// Losses as negative logarithms of probabilities: each is the mean over the samples, with its gradient.
#include <numbers>
#include <vector>

#include "matrix.hpp"

struct Loss {
    double value;
    std::vector<double> gradient;  // with respect to each prediction
};

struct RowLoss {
    double value;
    Matrix gradient;  // with respect to each score, (samples, classes)
};

// The targets come from normal distributions with these means, all with the same standard deviation.
Loss gaussian(const std::vector<double>& means, const std::vector<double>& targets, double deviation);

// The standard deviation for which `gaussian` is smallest. At least one target differs from its mean.
double best_deviation(const std::vector<double>& means, const std::vector<double>& targets);

// The softmax of each row of scores, (samples, classes), gives the probabilities of the classes; labels count from 0.
RowLoss categorical(const Matrix& scores, const std::vector<int>& labels);

// The probability of the label 1 is 1 / (1 + exp(-score)); labels are 0 or 1.
Loss binary(const std::vector<double>& scores, const std::vector<int>& labels);
