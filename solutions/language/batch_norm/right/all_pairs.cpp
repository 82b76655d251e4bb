// The variance from the differences of all pairs, and the gradient sample by sample.
#include "batch_norm.hpp"

#include <algorithm>
#include <cmath>

static void check(const BatchNorm& norm, const Matrix& x) {
    const auto fits = [&](const Matrix& buffer) { return buffer.rows == 1 && buffer.cols == x.cols; };
    if (!(fits(norm.gain) && fits(norm.bias) && fits(norm.running_mean) && fits(norm.running_std)))
        throw std::invalid_argument("batch_norm: a buffer has the wrong width");
}

// The variance from the differences of all pairs: half of their mean square.
static double deviation(const Matrix& x, int unit) {
    double sum = 0;
    for (int n = 0; n < x.rows; ++n)
        for (int k = 0; k < n; ++k) sum += std::pow(x(n, unit) - x(k, unit), 2);
    return std::sqrt(sum / x.rows / x.rows + epsilon);
}

static double mean(const Matrix& x, int unit) {
    double found = 0;
    for (int n = 0; n < x.rows; ++n) found += (x(n, unit) - found) / (n + 1);
    return found;
}

BatchNorm make_batch_norm(int hidden) {
    const Matrix ones(1, hidden, 1), zeros(1, hidden, 0);
    return {.gain = ones, .bias = zeros, .running_mean = zeros, .running_std = ones};
}

Matrix normalise_training(BatchNorm& norm, const Matrix& x, double momentum) {
    check(norm, x);
    Matrix y(x.rows, x.cols);
    for (int unit = x.cols - 1; unit >= 0; --unit) {
        const double m = mean(x, unit), s = deviation(x, unit);
        for (int n = 0; n < x.rows; ++n) y(n, unit) = norm.bias(0, unit) + (x(n, unit) - m) * (norm.gain(0, unit) / s);
        const auto follow = [&](double& running, double now) { running -= momentum * (running - now); };
        follow(norm.running_mean(0, unit), m);
        follow(norm.running_std(0, unit), s);
    }
    return y;
}

Matrix normalise_evaluation(const BatchNorm& norm, const Matrix& x) {
    check(norm, x);
    Matrix y(x.rows, x.cols);
    for (int unit = 0; unit < x.cols; ++unit)
        for (int n = 0; n < x.rows; ++n) {
            const double z = (x(n, unit) - norm.running_mean(0, unit)) / norm.running_std(0, unit);
            y(n, unit) = norm.gain(0, unit) * z + norm.bias(0, unit);
        }
    return y;
}

// Sample k moves sample n by (n == k) - 1 / B - z_n z_k / B, over s.
Gradients backward(const BatchNorm& norm, const Matrix& x, const Matrix& dy) {
    Gradients d{Matrix(x.rows, x.cols), Matrix(1, x.cols), Matrix(1, x.cols)};
    for (int unit = 0; unit < x.cols; ++unit) {
        const double m = mean(x, unit), s = deviation(x, unit);
        for (int n = 0; n < x.rows; ++n) {
            const double zn = (x(n, unit) - m) / s;
            d.dgain(0, unit) += dy(n, unit) * zn;
            d.dbias(0, unit) += dy(n, unit);
            for (int k = 0; k < x.rows; ++k) {
                const double zk = (x(k, unit) - m) / s;
                d.dx(k, unit) += norm.gain(0, unit) / s * dy(n, unit) * ((n == k) - (1 + zn * zk) / x.rows);
            }
        }
    }
    return d;
}

double saturation(const Matrix& x) {
    if (x.numbers.empty()) return 0;
    return double(std::count_if(x.numbers.begin(), x.numbers.end(), [](double v) { return std::fabs(std::tanh(v)) > 0.97; })) /
           double(x.numbers.size());
}
