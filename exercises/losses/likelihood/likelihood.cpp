#include "likelihood.hpp"

#include <cmath>

#include "not_written.hpp"

Loss gaussian(const std::vector<double>& means, const std::vector<double>& targets, double deviation) {
    Loss loss{0, std::vector<double>(means.size())};
    not_written("gaussian");
    return loss;
}

double best_deviation(const std::vector<double>& means, const std::vector<double>& targets) {
    not_written("best_deviation");
    return 1;
}

RowLoss categorical(const Matrix& scores, const std::vector<int>& labels) {
    RowLoss loss{0, Matrix(scores.rows, scores.cols)};
    not_written("categorical");
    return loss;
}

Loss binary(const std::vector<double>& scores, const std::vector<int>& labels) {
    Loss loss{0, std::vector<double>(scores.size())};
    not_written("binary");
    return loss;
}
