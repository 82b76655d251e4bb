// Sums from the other side: the innermost loop gathers one number of the result.
#include "perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <random>

template <class F>
static Matrix filled(int rows, int cols, F f) {
    Matrix a(rows, cols);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) a(i, j) = f(i, j);
    return a;
}

template <class F>
static double sum(int count, F f) {
    double whole = 0;
    for (int k = 0; k < count; ++k) whole += f(k);
    return whole;
}

Pass forward(const Perceptron& f, const Matrix& x) {
    const Matrix hidden = filled(x.rows, f.weights1.cols, [&](int n, int j) {
        return std::tanh(f.bias1(0, j) + sum(x.cols, [&](int i) { return x(n, i) * f.weights1(i, j); }));
    });
    const Matrix outputs = filled(x.rows, f.weights2.cols, [&](int n, int k) {
        return sum(hidden.cols, [&](int j) { return hidden(n, j) * f.weights2(j, k); }) + f.bias2(0, k);
    });
    return {hidden, outputs};
}

double squared_error(const Matrix& outputs, const std::vector<int>& labels) {
    return sum(outputs.rows, [&](int n) {
        return sum(outputs.cols, [&](int k) {
            const double apart = labels[n] == k ? 1 - outputs(n, k) : outputs(n, k);
            return apart * apart / outputs.rows;
        });
    });
}

Gradients backward(const Perceptron& f, const Matrix& x, const Pass& pass, const std::vector<int>& labels) {
    const int N = x.rows, H = f.weights1.cols, K = f.weights2.cols;
    const Matrix o = filled(N, K, [&](int n, int k) { return (pass.outputs(n, k) - (labels[n] == k)) / (N * 0.5); });
    const Matrix h = filled(N, H, [&](int n, int j) {
        return (1 - std::pow(pass.hidden(n, j), 2)) * sum(K, [&](int k) { return o(n, k) * f.weights2(j, k); });
    });
    return {filled(x.cols, H, [&](int i, int j) { return sum(N, [&](int n) { return x(n, i) * h(n, j); }); }),
            filled(1, H, [&](int, int j) { return sum(N, [&](int n) { return h(n, j); }); }),
            filled(H, K, [&](int j, int k) { return sum(N, [&](int n) { return pass.hidden(n, j) * o(n, k); }); }),
            filled(1, K, [&](int, int k) { return sum(N, [&](int n) { return o(n, k); }); })};
}

static Matrix moved(const Matrix& w, const Matrix& d, double rate) {
    return filled(w.rows, w.cols, [&](int i, int j) { return w(i, j) - rate * d(i, j); });
}

void step(Perceptron& f, const Gradients& d, double rate) {
    f = {moved(f.weights1, d.weights1, rate), moved(f.bias1, d.bias1, rate), moved(f.weights2, d.weights2, rate),
         moved(f.bias2, d.bias2, rate)};
}

std::vector<int> predict(const Perceptron& f, const Matrix& x) {
    const Pass pass = forward(f, x);
    std::vector<int> classes(std::size_t(x.rows), 0);
    for (int n = 0; n < x.rows; ++n)
        for (int k = 0; k < pass.outputs.cols; ++k)
            if (pass.outputs(n, k) >= pass.outputs(n, classes[std::size_t(n)])) classes[std::size_t(n)] = k;
    return classes;
}

void epoch(Perceptron& f, const Matrix& x, const std::vector<int>& labels, int batch, double rate, long seed) {
    std::vector<std::size_t> order(labels.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::shuffle(order.begin(), order.end(), std::mt19937(unsigned(seed)));
    for (std::size_t first = 0; first < order.size(); first += std::size_t(batch)) {
        Matrix pictures(0, x.cols);
        std::vector<int> classes;
        for (std::size_t n = first; n < std::min(order.size(), first + std::size_t(batch)); ++n, ++pictures.rows) {
            const auto from = x.numbers.begin() + long(order[n]) * x.cols;
            pictures.numbers.insert(pictures.numbers.end(), from, from + x.cols);
            classes.push_back(labels[order[n]]);
        }
        step(f, backward(f, pictures, forward(f, pictures), classes), rate);
    }
}

Perceptron begin(int pixels, int units, int classes, long seed) {
    std::minstd_rand random(std::uint32_t(seed * 2654435761L + 12345));
    random.discard(10);
    Perceptron f{Matrix(pixels, units), Matrix(1, units), Matrix(units, classes), Matrix(1, classes)};
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (double& w : f.weights1.numbers) w = uniform(random) * std::sqrt(1.5 / pixels);
    for (double& w : f.weights2.numbers) w = uniform(random) * std::sqrt(1.5 / units);
    return f;
}

Settings settings() { return {20, 20, 0.01}; }
