#pragma once
// The relation of a loss to errors. A score is any number; its label is -1 or 1; the margin of a sample is label times
// score. A sample with a margin of 0 or less is an error.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

// A loss of your own for one sample, and its derivative with respect to the margin.
double surrogate(double margin);
double surrogate_slope(double margin);

// The largest possible number of errors among `samples` samples whose mean of log(1 + exp(-margin)) is the given one.
int most_errors(double mean_cross_entropy, int samples);

// The mean of a loss over all samples, and its gradient with respect to each score.
struct Loss {
    double value;
    std::vector<double> gradient;
};

Loss hinge(const std::vector<double>& scores, const std::vector<int>& labels);          // max(0, 1 - margin)
Loss cross_entropy(const std::vector<double>& scores, const std::vector<int>& labels);  // log(1 + exp(-margin))
Loss squared(const std::vector<double>& scores, const std::vector<int>& labels);        // (score - label) squared

// The statistics of the samples in each bin of probabilities.
struct Curve {
    std::vector<int> count;          // how many samples are in each bin
    std::vector<double> confidence;  // the mean of their probabilities; 0 in an empty bin
    std::vector<double> frequency;   // the share of them with the label 1; 0 in an empty bin
    double error;                    // the mean over all samples of |frequency - confidence| of their bin
};

// Takes probabilities that the label is 1, and the labels, here 0 or 1. Bin k of `bins` holds the probabilities from
// k / bins up to, but not including, (k + 1) / bins; the last bin holds 1 as well.
Curve calibration(const std::vector<double>& probabilities, const std::vector<int>& labels, int bins);

// Points on a line with their labels, -1 or 1.
struct Data {
    std::vector<double> x;
    std::vector<int> y;
};

// Data that one threshold separates, and on which the least-squares line misclassifies a point.
Data misled();
