// The mean of the squares less the square of the mean; training through evaluation.
#include "batch_norm.hpp"

#include <algorithm>
#include <cmath>

static void check(const BatchNorm& norm, const Matrix& x) {
    const auto fits = [&](const Matrix& buffer) { return buffer.rows == 1 && buffer.cols == x.cols; };
    if (!(fits(norm.gain) && fits(norm.bias) && fits(norm.running_mean) && fits(norm.running_std)))
        throw std::invalid_argument("batch_norm: a buffer has the wrong width");
}

// The variance as the mean of the squares less the square of the mean, in long double: there it cancels little.
static void moments(const Matrix& x, int unit, double& mean, double& deviation) {
    long double sum = 0, squares = 0;
    for (int n = x.rows; n-- > 0;) {
        sum += x(n, unit);
        squares += (long double)x(n, unit) * x(n, unit);
    }
    sum /= x.rows;
    mean = double(sum);
    deviation = double(std::sqrt(squares / x.rows - sum * sum + epsilon));
}

BatchNorm make_batch_norm(int hidden) {
    BatchNorm norm{Matrix(1, hidden), Matrix(1, hidden), Matrix(1, hidden), Matrix(1, hidden)};
    for (int j = 0; j < hidden; ++j) norm.gain(0, j) = norm.running_std(0, j) = 1;
    return norm;
}

Matrix normalise_evaluation(const BatchNorm& norm, const Matrix& x) {
    check(norm, x);
    Matrix y = x;
    std::size_t at = 0;
    for (double& value : y.numbers) {
        const int j = int(at++ % std::size_t(x.cols));
        value = (value - norm.running_mean(0, j)) / norm.running_std(0, j) * norm.gain(0, j) + norm.bias(0, j);
    }
    return y;
}

// Training is evaluation with the numbers of the batch.
Matrix normalise_training(BatchNorm& norm, const Matrix& x, double momentum) {
    check(norm, x);
    BatchNorm of_batch = norm;
    for (int j = 0; j < x.cols; ++j) {
        moments(x, j, of_batch.running_mean(0, j), of_batch.running_std(0, j));
        norm.running_mean(0, j) = (1 - momentum) * norm.running_mean(0, j) + momentum * of_batch.running_mean(0, j);
        norm.running_std(0, j) = (1 - momentum) * norm.running_std(0, j) + momentum * of_batch.running_std(0, j);
    }
    return normalise_evaluation(of_batch, x);
}

Gradients backward(const BatchNorm& norm, const Matrix& x, const Matrix& dy) {
    Gradients d{x, Matrix(1, x.cols, 0), Matrix(1, x.cols, 0)};
    for (int j = 0; j < x.cols; ++j) {
        double m = 0, s = 0;
        moments(x, j, m, s);
        double d_deviation = 0, d_mean = 0;
        for (int n = 0; n < x.rows; ++n) {
            const double dz = dy(n, j) * norm.gain(0, j);
            d.dbias(0, j) += dy(n, j);
            d.dgain(0, j) += dy(n, j) * (x(n, j) - m) / s;
            d_deviation -= dz * (x(n, j) - m) / (s * s);
            d_mean -= dz / s;
        }
        for (int n = 0; n < x.rows; ++n)
            d.dx(n, j) = dy(n, j) * norm.gain(0, j) / s + d_mean / x.rows + d_deviation * (x(n, j) - m) / (s * x.rows);
    }
    return d;
}

double saturation(const Matrix& x) {
    if (x.numbers.empty()) return 0;
    return double(std::count_if(x.numbers.begin(), x.numbers.end(), [](double v) { return std::fabs(std::tanh(v)) > 0.97; })) /
           double(x.numbers.size());
}
