#include "loss_design.hpp"

#include <cmath>

#include "not_written.hpp"

double surrogate(double margin) {
    not_written("surrogate");
    return margin;
}

double surrogate_slope(double margin) {
    not_written("surrogate_slope");
    return margin;
}

int most_errors(double mean_cross_entropy, int samples) {
    not_written("most_errors");
    return 0;
}

Loss hinge(const std::vector<double>& scores, const std::vector<int>& labels) {
    Loss loss{0, std::vector<double>(scores.size())};
    not_written("hinge");
    return loss;
}

Loss cross_entropy(const std::vector<double>& scores, const std::vector<int>& labels) {
    Loss loss{0, std::vector<double>(scores.size())};
    not_written("cross_entropy");
    return loss;
}

Loss squared(const std::vector<double>& scores, const std::vector<int>& labels) {
    Loss loss{0, std::vector<double>(scores.size())};
    not_written("squared");
    return loss;
}

Curve calibration(const std::vector<double>& probabilities, const std::vector<int>& labels, int bins) {
    Curve curve;
    not_written("calibration");
    return curve;
}

Data misled() {
    not_written("misled");
    return {{-1, 1}, {-1, 1}};
}
