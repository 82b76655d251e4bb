// A struct for each column, with fma and lerp.
#include "batch_norm.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

static void check(const BatchNorm& norm, const Matrix& x) {
    const auto fits = [&](const Matrix& buffer) { return buffer.rows == 1 && buffer.cols == x.cols; };
    if (!(fits(norm.gain) && fits(norm.bias) && fits(norm.running_mean) && fits(norm.running_std)))
        throw std::invalid_argument("batch_norm: a buffer has the wrong width");
}

namespace {

struct Column {
    Column(const Matrix& x, int unit) {
        for (int n = 0; n < x.rows; ++n) values.push_back(x(n, unit));
        mean = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
        for (double& value : values) value -= mean;
        const double square = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
        deviation = std::sqrt(square / double(values.size()) + epsilon);
        for (double& value : values) value /= deviation;  // normalised now
    }
    std::vector<double> values;
    double mean, deviation;
};

}  // namespace

BatchNorm make_batch_norm(int hidden) {
    BatchNorm norm;
    norm.gain = norm.running_std = Matrix(1, hidden, 1.0);
    norm.bias = norm.running_mean = Matrix(1, hidden);
    return norm;
}

Matrix normalise_training(BatchNorm& norm, const Matrix& x, double momentum) {
    check(norm, x);
    Matrix y(x.rows, x.cols);
    for (int j = 0; j < x.cols; ++j) {
        const Column column(x, j);
        for (int n = 0; n < x.rows; ++n) y(n, j) = std::fma(norm.gain(0, j), column.values[std::size_t(n)], norm.bias(0, j));
        norm.running_mean(0, j) = std::lerp(norm.running_mean(0, j), column.mean, momentum);
        norm.running_std(0, j) = std::lerp(norm.running_std(0, j), column.deviation, momentum);
    }
    return y;
}

Matrix normalise_evaluation(const BatchNorm& norm, const Matrix& x) {
    check(norm, x);
    Matrix y(x.rows, x.cols);
    for (int j = 0; j < x.cols; ++j) {
        const double scale = norm.gain(0, j) / norm.running_std(0, j), shift = norm.bias(0, j) - scale * norm.running_mean(0, j);
        for (int n = 0; n < x.rows; ++n) y(n, j) = scale * x(n, j) + shift;
    }
    return y;
}

// What is left of dy when its mean and its part along z are taken off.
Gradients backward(const BatchNorm& norm, const Matrix& x, const Matrix& dy) {
    Gradients d{Matrix(x.rows, x.cols), Matrix(1, x.cols), Matrix(1, x.cols)};
    for (int j = 0; j < x.cols; ++j) {
        const Column column(x, j);
        std::vector<double> back;
        for (int n = 0; n < x.rows; ++n) back.push_back(dy(n, j));
        d.dbias(0, j) = std::accumulate(back.begin(), back.end(), 0.0);
        d.dgain(0, j) = std::inner_product(back.begin(), back.end(), column.values.begin(), 0.0);
        for (int n = 0; n < x.rows; ++n)
            d.dx(n, j) = norm.gain(0, j) / column.deviation *
                         (back[std::size_t(n)] - (d.dbias(0, j) + column.values[std::size_t(n)] * d.dgain(0, j)) / x.rows);
    }
    return d;
}

double saturation(const Matrix& x) {
    if (x.numbers.empty()) return 0;
    return double(std::count_if(x.numbers.begin(), x.numbers.end(), [](double v) { return std::fabs(std::tanh(v)) > 0.97; })) /
           double(x.numbers.size());
}
