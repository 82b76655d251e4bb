#pragma once
#include <string>
#include <vector>

#include "matrix.hpp"

// The symbols are numbers: '.' is 0, 'a' is 1, ... 'z' is 26. A dot stands before the first letter of every word and
// after its last. Words hold small letters alone and may be empty.

// How often each symbol follows each other one, (27, 27): row i, column j counts the pairs "first i, then j".
Matrix count(const std::vector<std::string>& words);

// The probability of what follows, (rows, columns) as `counts`: `smoothing` is added to every count, then each row is
// divided by its sum. A row that sums to 0 tells nothing: all its columns get the same probability.
Matrix probabilities(const Matrix& counts, double smoothing);

// The mean of -log p(i, j) over all pairs of all words, the pairs with a dot included; infinity if one has probability
// 0.
double negative_log_likelihood(const Matrix& p, const std::vector<std::string>& words);

// `how_many` new words. Each begins behind a dot. Each further symbol takes one number u from `randoms`, the next that
// is not used yet: it is the first symbol j for which p(i, 0) + ... + p(i, j) > u. The word ends when that is the dot.
// The list is just long enough.
std::vector<std::string> sample(const Matrix& p, int how_many, const std::vector<double>& randoms);
