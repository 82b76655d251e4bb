// Everything for a single image first; a batch adds up its images.
#include "perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace {

using Row = std::vector<double>;

Row row_of(const Matrix& a, int row) { return {a.numbers.begin() + long(row) * a.cols, a.numbers.begin() + long(row + 1) * a.cols}; }

Row affine(const Row& x, const Matrix& w, const Matrix& bias) {
    Row y = bias.numbers;
    for (int i = 0; i < w.rows; ++i)
        for (int j = 0; j < w.cols; ++j) y[j] += x[i] * w.numbers[std::size_t(i) * w.cols + j];
    return y;
}

Row bent(Row x) {
    for (double& value : x) value = std::tanh(value);
    return x;
}

// Adds what one picture hands back.
void add(Gradients& d, const Perceptron& f, const Row& x, const Row& hidden, Row back, int label, int pictures) {
    back[label] -= 1;
    for (double& slope : back) slope = 2 * slope / pictures;
    for (int k = 0; k < int(back.size()); ++k) d.bias2(0, k) += back[k];
    for (int j = 0; j < int(hidden.size()); ++j) {
        double sum = 0;
        for (int k = 0; k < int(back.size()); ++k) {
            d.weights2(j, k) += hidden[j] * back[k];
            sum += f.weights2(j, k) * back[k];
        }
        sum *= (1 - hidden[j]) * (1 + hidden[j]);
        d.bias1(0, j) += sum;
        for (int i = 0; i < int(x.size()); ++i) d.weights1.numbers[std::size_t(i) * d.weights1.cols + j] += x[i] * sum;
    }
}

}  // namespace

Pass forward(const Perceptron& f, const Matrix& x) {
    Pass pass{Matrix(x.rows, f.bias1.cols), Matrix(x.rows, f.bias2.cols)};
    for (int n = 0; n < x.rows; ++n) {
        const Row hidden = bent(affine(row_of(x, n), f.weights1, f.bias1)), outputs = affine(hidden, f.weights2, f.bias2);
        std::copy(hidden.begin(), hidden.end(), pass.hidden.numbers.begin() + long(n) * pass.hidden.cols);
        std::copy(outputs.begin(), outputs.end(), pass.outputs.numbers.begin() + long(n) * pass.outputs.cols);
    }
    return pass;
}

// The square of all outputs, with 1 - 2 o added in the column of the label.
double squared_error(const Matrix& outputs, const std::vector<int>& labels) {
    double sum = 0;
    for (const double o : outputs.numbers) sum += o * o;
    for (int n = 0; n < outputs.rows; ++n) sum += 1 - 2 * outputs(n, labels[n]);
    return sum / outputs.rows;
}

Gradients backward(const Perceptron& f, const Matrix& x, const Pass& pass, const std::vector<int>& labels) {
    Gradients d{Matrix(f.weights1.rows, f.weights1.cols), Matrix(1, f.bias1.cols), Matrix(f.weights2.rows, f.weights2.cols),
                Matrix(1, f.bias2.cols)};
    for (int n = x.rows - 1; n >= 0; --n) add(d, f, row_of(x, n), row_of(pass.hidden, n), row_of(pass.outputs, n), labels[n], x.rows);
    return d;
}

void step(Perceptron& f, const Gradients& d, double rate) {
    for (const auto part : {&Perceptron::weights1, &Perceptron::bias1, &Perceptron::weights2, &Perceptron::bias2}) {
        auto slope = (d.*part).numbers.begin();
        for (double& number : (f.*part).numbers) number = number - *slope++ * rate;
    }
}

std::vector<int> predict(const Perceptron& f, const Matrix& x) {
    std::vector<int> classes;
    for (int n = 0; n < x.rows; ++n) {
        const Row outputs = affine(bent(affine(row_of(x, n), f.weights1, f.bias1)), f.weights2, f.bias2);
        classes.push_back(int(std::max_element(outputs.begin(), outputs.end()) - outputs.begin()));
    }
    return classes;
}

// From the last picture to the first.
void epoch(Perceptron& f, const Matrix& x, const std::vector<int>& labels, int batch, double rate, long) {
    int left = x.rows;
    while (left > 0) {
        const int count = std::min(batch, left);
        left -= count;
        Matrix pictures(count, x.cols);
        std::copy_n(x.numbers.begin() + long(left) * x.cols, long(count) * x.cols, pictures.numbers.begin());
        const std::vector<int> classes(labels.begin() + left, labels.begin() + left + count);
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
