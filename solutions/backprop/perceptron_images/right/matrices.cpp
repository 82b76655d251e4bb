// Products of whole matrices with a template for what is done with each element; the target is a matrix of its own, and the
// bias is a column of ones that is appended.
#include "perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <utility>

namespace {

Matrix transposed(const Matrix& a) {
    Matrix b(a.cols, a.rows);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < a.cols; ++j) b(j, i) = a(i, j);
    return b;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.cols);
    for (int i = 0; i < a.rows; ++i)
        for (int k = 0; k < a.cols; ++k)
            for (int j = 0; j < b.cols; ++j) c(i, j) += a(i, k) * b(k, j);
    return c;
}

template <class F>
Matrix each(Matrix a, const Matrix& b, F f) {
    std::transform(a.numbers.begin(), a.numbers.end(), b.numbers.begin(), a.numbers.begin(), f);
    return a;
}

Matrix with_ones(const Matrix& a) {
    Matrix b(a.rows, a.cols + 1, 1);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < a.cols; ++j) b(i, j) = a(i, j);
    return b;
}

Matrix stacked(Matrix above, const Matrix& below) {
    above.numbers.insert(above.numbers.end(), below.numbers.begin(), below.numbers.end());
    above.rows += below.rows;
    return above;
}

std::pair<Matrix, Matrix> split(const Matrix& a) {
    Matrix above(a.rows - 1, a.cols), below(1, a.cols);
    std::copy(a.numbers.begin(), a.numbers.end() - a.cols, above.numbers.begin());
    std::copy(a.numbers.end() - a.cols, a.numbers.end(), below.numbers.begin());
    return {above, below};
}

Matrix targets(const std::vector<int>& labels, int classes) {
    Matrix t(int(labels.size()), classes);
    for (int n = 0; n < t.rows; ++n) t(n, labels[n]) = 1;
    return t;
}

Matrix chosen(const Matrix& x, const std::vector<int>& rows) {
    Matrix y(int(rows.size()), x.cols);
    for (int n = 0; n < y.rows; ++n)
        for (int j = 0; j < x.cols; ++j) y(n, j) = x(rows[n], j);
    return y;
}

}  // namespace

Pass forward(const Perceptron& f, const Matrix& x) {
    Pass pass;
    pass.hidden = with_ones(x) * stacked(f.weights1, f.bias1);
    for (double& h : pass.hidden.numbers) h = std::tanh(h);
    pass.outputs = with_ones(pass.hidden) * stacked(f.weights2, f.bias2);
    return pass;
}

double squared_error(const Matrix& outputs, const std::vector<int>& labels) {
    const Matrix gap = each(outputs, targets(labels, outputs.cols), std::minus<>());
    return std::inner_product(gap.numbers.begin(), gap.numbers.end(), gap.numbers.begin(), 0.0) / gap.rows;
}

Gradients backward(const Perceptron& f, const Matrix& x, const Pass& pass, const std::vector<int>& labels) {
    const double share = 2.0 / x.rows;
    const Matrix back2 =
        each(pass.outputs, targets(labels, pass.outputs.cols), [=](double o, double t) { return share * (o - t); });
    const Matrix back1 =
        each(back2 * transposed(f.weights2), pass.hidden, [](double g, double h) { return g - g * h * h; });
    const auto [weights2, bias2] = split(transposed(with_ones(pass.hidden)) * back2);
    const auto [weights1, bias1] = split(transposed(with_ones(x)) * back1);
    return {weights1, bias1, weights2, bias2};
}

void step(Perceptron& f, const Gradients& d, double rate) {
    const auto downhill = [=](double x, double dx) { return x - rate * dx; };
    f = {each(f.weights1, d.weights1, downhill), each(f.bias1, d.bias1, downhill),
         each(f.weights2, d.weights2, downhill), each(f.bias2, d.bias2, downhill)};
}

std::vector<int> predict(const Perceptron& f, const Matrix& x) {
    const Matrix outputs = forward(f, x).outputs;
    std::vector<int> classes;
    for (auto row = outputs.numbers.begin(); row != outputs.numbers.end(); row += outputs.cols)
        classes.push_back(int(std::max_element(row, row + outputs.cols) - row));
    return classes;
}

Perceptron begin(int pixels, int units, int classes, long seed) {
    std::minstd_rand random{unsigned(seed) + 1};
    const auto draw = [&](int rows, int cols) {  // Xavier's uniform numbers
        const double limit = std::sqrt(6.0 / (rows + cols));
        Matrix m(rows, cols);
        for (double& x : m.numbers) x = std::uniform_real_distribution<double>(-limit, limit)(random);
        return m;
    };
    return {draw(pixels, units), Matrix(1, units), draw(units, classes), Matrix(1, classes)};
}

void epoch(Perceptron& f, const Matrix& x, const std::vector<int>& labels, int batch, double rate, long seed) {
    std::vector<int> left(labels.size());
    std::iota(left.begin(), left.end(), 0);
    std::mt19937 random{unsigned(seed)};
    while (!left.empty()) {  // draws a batch from what is left
        std::vector<int> rows, classes;
        while (!left.empty() && int(rows.size()) < batch) {
            std::swap(left[random() % left.size()], left.back());
            rows.push_back(left.back());
            classes.push_back(labels[left.back()]);
            left.pop_back();
        }
        const Matrix pictures = chosen(x, rows);
        step(f, backward(f, pictures, forward(f, pictures), classes), rate);
    }
}

Settings settings() { return {.epochs = 10, .batch = 20, .rate = 0.01}; }
