// wrong: takes-the-answer
// outcome: did not compile
#include "batch_norm.hpp"

#include <recto/ops/norms/batch_norm.hpp>

#include <cmath>

namespace {

void require_width(const BatchNorm& norm, int hidden) {
    for (const Matrix* buffer : {&norm.gain, &norm.bias, &norm.running_mean, &norm.running_std})
        if (buffer->rows != 1 || buffer->cols != hidden)
            throw std::invalid_argument("batch_norm: the buffers must have one number for each hidden unit");
}

// Mean and deviation of one unit over the batch.
struct Moments {
    double mean = 0, deviation = 0;
};

Moments moments(const Matrix& x, int unit) {
    double sum = 0, squares = 0;
    for (int n = 0; n < x.rows; ++n) sum += x(n, unit);
    const double mean = sum / x.rows;
    for (int n = 0; n < x.rows; ++n) squares += (x(n, unit) - mean) * (x(n, unit) - mean);
    return {mean, std::sqrt(squares / x.rows + epsilon)};
}

}  // namespace

BatchNorm make_batch_norm(int hidden) {
    return {Matrix(1, hidden, 1), Matrix(1, hidden, 0), Matrix(1, hidden, 0), Matrix(1, hidden, 1)};
}

Matrix normalise_training(BatchNorm& norm, const Matrix& x, double momentum) {
    require_width(norm, x.cols);
    Matrix y = x;
    for (int unit = 0; unit < x.cols; ++unit) {
        const auto [mean, deviation] = moments(x, unit);
        for (int n = 0; n < x.rows; ++n)
            y(n, unit) = norm.gain(0, unit) * (x(n, unit) - mean) / deviation + norm.bias(0, unit);
        norm.running_mean(0, unit) += momentum * (mean - norm.running_mean(0, unit));
        norm.running_std(0, unit) += momentum * (deviation - norm.running_std(0, unit));
    }
    return y;
}

Matrix normalise_evaluation(const BatchNorm& norm, const Matrix& x) {
    require_width(norm, x.cols);
    Matrix y = x;
    for (int n = 0; n < x.rows; ++n)
        for (int unit = 0; unit < x.cols; ++unit)
            y(n, unit) = norm.gain(0, unit) * (x(n, unit) - norm.running_mean(0, unit)) / norm.running_std(0, unit) +
                         norm.bias(0, unit);
    return y;
}

Gradients backward(const BatchNorm& norm, const Matrix& x, const Matrix& dy) {
    Gradients found{Matrix(x.rows, x.cols), Matrix(1, x.cols), Matrix(1, x.cols)};
    for (int unit = 0; unit < x.cols; ++unit) {
        const auto [mean, deviation] = moments(x, unit);
        double along_bias = 0, along_gain = 0;
        for (int n = 0; n < x.rows; ++n) {
            along_bias += dy(n, unit);
            along_gain += dy(n, unit) * (x(n, unit) - mean) / deviation;
        }
        found.dbias(0, unit) = along_bias;
        found.dgain(0, unit) = along_gain;
        for (int n = 0; n < x.rows; ++n) {
            const double z = (x(n, unit) - mean) / deviation;
            found.dx(n, unit) =
                norm.gain(0, unit) / deviation * (dy(n, unit) - along_bias / x.rows - z * along_gain / x.rows);
        }
    }
    return found;
}

double saturation(const Matrix& x) {
    long stuck = 0;
    for (const double value : x.numbers) stuck += std::abs(std::tanh(value)) > 0.97;
    return x.numbers.empty() ? 0 : double(stuck) / double(x.numbers.size());
}
