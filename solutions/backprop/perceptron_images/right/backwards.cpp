// Goes through the images from the last to the first, and sums in long double.
#include "perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace {

// x w + bias, row by row; the innermost loop runs along a row of w.
Matrix affine(const Matrix& x, const Matrix& w, const Matrix& bias) {
    Matrix y(x.rows, w.cols);
    for (int n = 0; n < x.rows; ++n) {
        double* row = y.numbers.data() + std::size_t(n) * std::size_t(w.cols);
        for (int j = 0; j < w.cols; ++j) row[j] = bias(0, j);
        for (int i = 0; i < w.rows; ++i) {
            const double* weights = w.numbers.data() + std::size_t(i) * std::size_t(w.cols);
            const double factor = x(n, i);
            for (int j = 0; j < w.cols; ++j) row[j] += factor * weights[j];
        }
    }
    return y;
}

// Adds the gradients of y = x w + bias, given dy.
void affine_backward(const Matrix& x, const Matrix& dy, Matrix& dw, Matrix& dbias) {
    for (int n = 0; n < x.rows; ++n) {
        const double* row = dy.numbers.data() + std::size_t(n) * std::size_t(dy.cols);
        for (int j = 0; j < dy.cols; ++j) dbias(0, j) += row[j];
        for (int i = 0; i < x.cols; ++i) {
            double* weights = dw.numbers.data() + std::size_t(i) * std::size_t(dy.cols);
            const double factor = x(n, i);
            for (int j = 0; j < dy.cols; ++j) weights[j] += factor * row[j];
        }
    }
}

Gradients zeros_like(const Perceptron& f) {
    return {Matrix(f.weights1.rows, f.weights1.cols), Matrix(1, f.bias1.cols), Matrix(f.weights2.rows, f.weights2.cols),
            Matrix(1, f.bias2.cols)};
}

}  // namespace

Pass forward(const Perceptron& f, const Matrix& x) {
    Pass pass;
    pass.hidden = affine(x, f.weights1, f.bias1);
    for (double& value : pass.hidden.numbers) value = std::tanh(value);
    pass.outputs = affine(pass.hidden, f.weights2, f.bias2);
    return pass;
}

double squared_error(const Matrix& outputs, const std::vector<int>& labels) {
    long double sum = 0;
    for (int n = outputs.rows - 1; n >= 0; --n)
        for (int k = 0; k < outputs.cols; ++k) sum += std::pow(outputs(n, k) - (k == labels[n] ? 1 : 0), 2);
    return double(sum / outputs.rows);
}

Gradients backward(const Perceptron& f, const Matrix& x, const Pass& pass, const std::vector<int>& labels) {
    Gradients d = zeros_like(f);
    Matrix d_outputs = pass.outputs, d_hidden(x.rows, f.bias1.cols);
    for (int n = 0; n < x.rows; ++n) {
        d_outputs(n, labels[n]) -= 1;
        for (int k = 0; k < d_outputs.cols; ++k) d_outputs(n, k) *= 2.0 / x.rows;
        for (int j = 0; j < d_hidden.cols; ++j) {
            for (int k = 0; k < d_outputs.cols; ++k) d_hidden(n, j) += d_outputs(n, k) * f.weights2(j, k);
            d_hidden(n, j) *= 1 - pass.hidden(n, j) * pass.hidden(n, j);
        }
    }
    affine_backward(pass.hidden, d_outputs, d.weights2, d.bias2);
    affine_backward(x, d_hidden, d.weights1, d.bias1);
    return d;
}

void step(Perceptron& f, const Gradients& d, double rate) {
    const auto move = [&](Matrix& x, const Matrix& dx) {
        for (std::size_t i = 0; i < x.numbers.size(); ++i) x.numbers[i] -= rate * dx.numbers[i];
    };
    move(f.weights1, d.weights1);
    move(f.bias1, d.bias1);
    move(f.weights2, d.weights2);
    move(f.bias2, d.bias2);
}

std::vector<int> predict(const Perceptron& f, const Matrix& x) {
    const Matrix outputs = forward(f, x).outputs;
    std::vector<int> classes;
    for (int n = 0; n < outputs.rows; ++n) {
        int best = 0;
        for (int k = 1; k < outputs.cols; ++k)
            if (outputs(n, k) > outputs(n, best)) best = k;
        classes.push_back(best);
    }
    return classes;
}

Perceptron begin(int pixels, int units, int classes, long seed) {
    std::mt19937_64 random{std::uint64_t(seed)};
    Perceptron f{Matrix(pixels, units), Matrix(1, units), Matrix(units, classes), Matrix(1, classes)};
    std::normal_distribution<double> first(0, 1 / std::sqrt(pixels)), second(0, 1 / std::sqrt(units));
    for (double& weight : f.weights1.numbers) weight = first(random);
    for (double& weight : f.weights2.numbers) weight = second(random);
    return f;
}

void epoch(Perceptron& f, const Matrix& x, const std::vector<int>& labels, int batch, double rate, long) {
    std::vector<int> order(labels.size());
    std::iota(order.begin(), order.end(), 0);
    std::reverse(order.begin(), order.end());
    for (int start = 0; start < x.rows; start += batch) {
        const int count = std::min(batch, x.rows - start);
        Matrix pictures(count, x.cols);
        std::vector<int> classes;
        for (int n = 0; n < count; ++n) {
            const int chosen = order[start + n];
            classes.push_back(labels[chosen]);
            std::copy_n(x.numbers.data() + std::size_t(chosen) * std::size_t(x.cols), x.cols,
                        pictures.numbers.data() + std::size_t(n) * std::size_t(x.cols));
        }
        step(f, backward(f, pictures, forward(f, pictures), classes), rate);
    }
}

Settings settings() { return {.epochs = 20, .batch = 20, .rate = 0.01}; }
