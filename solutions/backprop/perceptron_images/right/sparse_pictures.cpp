// Pixels that are 0 are left out: most of an image is black.
#include "perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace {

struct Pixel {
    int place;
    double value;
};

std::vector<Pixel> bright(const Matrix& x, int row) {
    std::vector<Pixel> pixels;
    for (int i = 0; i < x.cols; ++i)
        if (x(row, i) != 0) pixels.push_back({i, x(row, i)});
    return pixels;
}

// to += factor * row of the matrix
void add_row(double* to, double factor, const Matrix& from, int row) {
    const double* numbers = from.numbers.data() + std::size_t(row) * std::size_t(from.cols);
    for (int j = 0; j < from.cols; ++j) to[j] += factor * numbers[j];
}

double* row_of(Matrix& a, int row) { return a.numbers.data() + std::size_t(row) * std::size_t(a.cols); }

}  // namespace

Pass forward(const Perceptron& f, const Matrix& x) {
    Pass pass{Matrix(x.rows, f.bias1.cols), Matrix(x.rows, f.bias2.cols)};
    for (int n = 0; n < x.rows; ++n) {
        add_row(row_of(pass.hidden, n), 1, f.bias1, 0);
        for (const auto& [place, value] : bright(x, n)) add_row(row_of(pass.hidden, n), value, f.weights1, place);
        add_row(row_of(pass.outputs, n), 1, f.bias2, 0);
        for (int j = 0; j < pass.hidden.cols; ++j) {
            double& unit = pass.hidden(n, j);
            unit = std::tanh(unit);
            add_row(row_of(pass.outputs, n), unit, f.weights2, j);
        }
    }
    return pass;
}

double squared_error(const Matrix& outputs, const std::vector<int>& labels) {
    double mean = 0;
    for (int n = 0; n < outputs.rows; ++n) {
        double here = 0;
        for (int k = 0; k < outputs.cols; ++k) here = std::hypot(here, outputs(n, k) - double(k == labels[n]));
        mean += (here * here - mean) / (n + 1);
    }
    return mean;
}

Gradients backward(const Perceptron& f, const Matrix& x, const Pass& pass, const std::vector<int>& labels) {
    Gradients d = f;
    for (Matrix* each : {&d.weights1, &d.bias1, &d.weights2, &d.bias2}) std::fill(each->numbers.begin(), each->numbers.end(), 0);
    for (int n = 0; n < x.rows; ++n) {
        Matrix outputs(1, d.bias2.cols), hidden(1, d.bias1.cols);
        for (int k = 0; k < outputs.cols; ++k) outputs(0, k) = 2.0 / x.rows * (pass.outputs(n, k) - (k == labels[n] ? 1 : 0));
        add_row(row_of(d.bias2, 0), 1, outputs, 0);
        for (int j = 0; j < hidden.cols; ++j) {
            const double unit = pass.hidden(n, j);
            add_row(row_of(d.weights2, j), unit, outputs, 0);
            for (int k = 0; k < outputs.cols; ++k) hidden(0, j) += (1 - unit * unit) * outputs(0, k) * f.weights2(j, k);
        }
        add_row(row_of(d.bias1, 0), 1, hidden, 0);
        for (const auto& [place, value] : bright(x, n)) add_row(row_of(d.weights1, place), value, hidden, 0);
    }
    return d;
}

void step(Perceptron& f, const Gradients& d, double rate) {
    Matrix* const numbers[] = {&f.weights1, &f.bias1, &f.weights2, &f.bias2};
    const Matrix* const slopes[] = {&d.weights1, &d.bias1, &d.weights2, &d.bias2};
    for (int which = 0; which < 4; ++which)
        for (int row = 0; row < numbers[which]->rows; ++row) add_row(row_of(*numbers[which], row), -rate, *slopes[which], row);
}

std::vector<int> predict(const Perceptron& f, const Matrix& x) {
    Matrix outputs = forward(f, x).outputs;
    std::vector<int> classes;
    for (int n = 0; n < x.rows; ++n)
        classes.push_back(int(std::max_element(row_of(outputs, n), row_of(outputs, n) + outputs.cols) - row_of(outputs, n)));
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
