#pragma once
#include <string>
#include <vector>

#include "matrix.hpp"

// The symbols are numbers: '.' is 0, 'a' is 1, ... 'z' is 26. A dot stands before the first letter of every word and
// after its last. Words hold lower-case letters only and may be empty.

// How often each symbol follows each other symbol, (27, 27): row i, column j counts the pairs "first i, then j".
Matrix count(const std::vector<std::string>& words);

// The probability of each next symbol, (rows, columns) like `counts`: `smoothing` is added to every count, then each row
// is divided by its sum. A row that sums to 0 holds no information: all its columns get the same probability.
Matrix probabilities(const Matrix& counts, double smoothing);

// The mean of -log p(i, j) over all pairs of all words, including the pairs with a dot; infinity if a pair has
// probability 0.
double negative_log_likelihood(const Matrix& p, const std::vector<std::string>& words);

// `how_many` new words. Each begins after a dot. Each symbol uses up the next number u of `randoms`: it is the first j
// for which p(i, 0) + ... + p(i, j) > u, where i is the previous symbol. The word ends when j is the dot.
// The list has exactly the required length.
std::vector<std::string> sample(const Matrix& p, int how_many, const std::vector<double>& randoms);
