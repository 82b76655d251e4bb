// Never builds a batch: the gradient of each image is scaled and added up, with one vector per image and recursion for
// the search of the largest output.
#include "perceptron.hpp"

#include <cmath>
#include <random>
#include <utility>

namespace {

std::vector<double> row_of(const Matrix& m, int row) {
    const auto begin = m.numbers.begin() + row * m.cols;
    return {begin, begin + m.cols};
}

std::vector<double> through(const std::vector<double>& x, const Matrix& w, const Matrix& bias) {
    std::vector<double> y = bias.numbers;
    for (int j = 0; j < w.cols; ++j)
        for (int i = w.rows - 1; i >= 0; --i) y[j] += x[i] * w(i, j);
    return y;
}

int largest(const std::vector<double>& v, int from) {
    if (from + 1 == int(v.size())) return from;
    const int rest = largest(v, from + 1);
    return v[rest] > v[from] ? rest : from;
}

void add(Gradients& d, const Perceptron& f, const std::vector<double>& x, const std::vector<double>& hidden,
         const std::vector<double>& outputs, int label, double share) {
    for (int j = 0; j < f.weights2.rows; ++j) {
        double back = 0;
        for (int k = 0; k < f.weights2.cols; ++k) {
            const double g = 2 * share * (outputs[k] - double(k == label));
            d.weights2(j, k) += g * hidden[j];
            if (j == 0) d.bias2(0, k) += g;
            back += g * f.weights2(j, k);
        }
        back *= (1 - hidden[j]) * (1 + hidden[j]);
        d.bias1(0, j) += back;
        for (int i = 0; i < f.weights1.rows; ++i) d.weights1(i, j) += back * x[i];
    }
}

Gradients none(const Perceptron& f) {
    return {Matrix(f.weights1.rows, f.weights1.cols), Matrix(f.bias1.rows, f.bias1.cols),
            Matrix(f.weights2.rows, f.weights2.cols), Matrix(f.bias2.rows, f.bias2.cols)};
}

}  // namespace

Pass forward(const Perceptron& f, const Matrix& x) {
    Pass pass;
    pass.hidden = Matrix(x.rows, f.weights1.cols);
    pass.outputs = Matrix(x.rows, f.weights2.cols);
    for (int n = 0; n < x.rows; ++n) {
        std::vector<double> hidden = through(row_of(x, n), f.weights1, f.bias1);
        for (int j = 0; j < f.weights1.cols; ++j) hidden[j] = pass.hidden(n, j) = std::tanh(hidden[j]);
        const std::vector<double> outputs = through(hidden, f.weights2, f.bias2);
        for (int k = 0; k < f.weights2.cols; ++k) pass.outputs(n, k) = outputs[k];
    }
    return pass;
}

double squared_error(const Matrix& outputs, const std::vector<int>& labels) {
    double mean = 0;
    for (int n = 0; n < outputs.rows; ++n) {
        double sum = 1 - 2 * outputs(n, labels[n]);
        for (const double o : row_of(outputs, n)) sum += o * o;
        mean += (sum - mean) / (n + 1);
    }
    return mean;
}

Gradients backward(const Perceptron& f, const Matrix& x, const Pass& pass, const std::vector<int>& labels) {
    Gradients d = none(f);
    for (int n = x.rows - 1; n >= 0; --n)
        add(d, f, row_of(x, n), row_of(pass.hidden, n), row_of(pass.outputs, n), labels[n], 1.0 / x.rows);
    return d;
}

void step(Perceptron& f, const Gradients& d, double rate) {
    const std::pair<Matrix*, const Matrix*> pairs[] = {
        {&f.bias2, &d.bias2}, {&f.weights2, &d.weights2}, {&f.bias1, &d.bias1}, {&f.weights1, &d.weights1}};
    for (const auto& [x, dx] : pairs)
        for (int i = 0; i < x->rows; ++i)
            for (int j = 0; j < x->cols; ++j) (*x)(i, j) = (*x)(i, j) - (*dx)(i, j) * rate;
}

std::vector<int> predict(const Perceptron& f, const Matrix& x) {
    std::vector<int> classes;
    const Matrix outputs = forward(f, x).outputs;
    for (int n = 0; n < x.rows; ++n) classes.push_back(largest(row_of(outputs, n), 0));
    return classes;
}

Perceptron begin(int pixels, int units, int classes, long seed) {
    Perceptron f{Matrix(pixels, units), Matrix(1, units), Matrix(units, classes), Matrix(1, classes)};
    for (std::size_t i = 0; i < f.weights1.numbers.size();
         ++i)  // no generator: the sine of large numbers is wild enough
        f.weights1.numbers[i] = 0.05 * std::sin(1e4 * double(i + 1) + double(seed));
    for (std::size_t i = 0; i < f.weights2.numbers.size(); ++i)
        f.weights2.numbers[i] = 0.1 * std::cos(77.0 * double(i) + double(seed));
    return f;
}

void epoch(Perceptron& f, const Matrix& x, const std::vector<int>& labels, int batch, double rate, long) {
    for (int start = 0; start < x.rows;) {
        const int end = start + batch < x.rows ? start + batch : x.rows, first = start;
        Gradients d = none(f);
        for (; start < end; ++start) {
            Matrix one(1, x.cols);
            one.numbers = row_of(x, start);
            const Pass pass = forward(f, one);
            add(d, f, one.numbers, pass.hidden.numbers, pass.outputs.numbers, labels[start], 1.0 / (end - first));
        }
        step(f, d, rate);
    }
}

Settings settings() { return {.epochs = 8, .batch = 10, .rate = 0.005}; }
