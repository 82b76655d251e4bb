#pragma once
#include <vector>

#include "matrix.hpp"

// One row for each symbol, (symbols, classes): 1 in the column of the symbol, 0 elsewhere. Symbols are 0 to classes -
// 1.
Matrix one_hot(const std::vector<int>& symbols, int classes);

// The matrix product of x, (samples, classes), and w, (classes, outputs): (samples, outputs).
Matrix logits(const Matrix& x, const Matrix& w);

// The stand-in for counts: the exponential of every logit, in the same shape.
Matrix counts(const Matrix& logits);

// Each row of the counts divided by its sum, in the same shape.
Matrix probabilities(const Matrix& counts);

// The mean of -log p(sample, target of the sample). p is (samples, classes).
double loss(const Matrix& p, const std::vector<int>& targets);

// The gradient of the loss with respect to the weights, in the shape of w, (classes, classes), if every target follows
// its symbol. `symbols` and `targets` have the same length.
Matrix gradient(const Matrix& w, const std::vector<int>& symbols, const std::vector<int>& targets);

// The weights, (classes, classes), after `steps` steps of gradient descent on all these pairs. The start and the learning
// rate are yours to choose.
Matrix train(const std::vector<int>& symbols, const std::vector<int>& targets, int classes, int steps);

namespace kit {
// Shows the progress of a training run, from 0 to 1, and its loss. Calling it is up to you.
void progress(double done, double loss);
}  // namespace kit
