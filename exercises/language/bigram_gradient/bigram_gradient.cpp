#include "bigram_gradient.hpp"

#include <cmath>

#include "not_written.hpp"

Matrix one_hot(const std::vector<int>& symbols, int classes) {
    (void)symbols, (void)classes;
    not_written("one_hot");
}

Matrix logits(const Matrix& x, const Matrix& w) {
    (void)x, (void)w;
    not_written("logits");
}

Matrix counts(const Matrix& logits) {
    (void)logits;
    not_written("counts");
}

Matrix probabilities(const Matrix& counts) {
    (void)counts;
    not_written("probabilities");
}

double loss(const Matrix& p, const std::vector<int>& targets) {
    (void)p, (void)targets;
    not_written("loss");
}

Matrix gradient(const Matrix& w, const std::vector<int>& symbols, const std::vector<int>& targets) {
    (void)w, (void)symbols, (void)targets;
    not_written("gradient");
}

Matrix train(const std::vector<int>& symbols, const std::vector<int>& targets, int classes, int steps) {
    (void)symbols, (void)targets, (void)classes, (void)steps;
    not_written("train");
}
