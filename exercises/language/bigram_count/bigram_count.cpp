#include "bigram_count.hpp"

#include <cmath>

#include "not_written.hpp"

Matrix count(const std::vector<std::string>& words) {
    Matrix counts(27, 27);
    (void)words;
    // Walk through each word with the dots around it, then delete the next line.
    not_written("count");
    return counts;
}

Matrix probabilities(const Matrix& counts, double smoothing) {
    Matrix p = counts;
    (void)smoothing;
    not_written("probabilities");
    return p;
}

double negative_log_likelihood(const Matrix& p, const std::vector<std::string>& words) {
    (void)p, (void)words;
    not_written("negative_log_likelihood");
}

std::vector<std::string> sample(const Matrix& p, int how_many, const std::vector<double>& randoms) {
    (void)p, (void)how_many, (void)randoms;
    not_written("sample");
}
