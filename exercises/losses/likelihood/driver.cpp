#include "driver.hpp"
#include "likelihood.hpp"

namespace {

std::pair<double, std::vector<double>> of_gaussian(const std::vector<double>& means, const std::vector<double>& targets,
                                                   double deviation) {
    const Loss loss = gaussian(means, targets, deviation);
    return {loss.value, loss.gradient};
}

std::pair<double, Matrix> of_categorical(const Matrix& scores, const std::vector<int>& labels) {
    const RowLoss loss = categorical(scores, labels);
    return {loss.value, loss.gradient};
}

std::pair<double, std::vector<double>> of_binary(const std::vector<double>& scores, const std::vector<int>& labels) {
    const Loss loss = binary(scores, labels);
    return {loss.value, loss.gradient};
}

const kit::Function gaussian_("gaussian", of_gaussian), best_deviation_("best_deviation", best_deviation),
    categorical_("categorical", of_categorical), binary_("binary", of_binary);

}  // namespace
