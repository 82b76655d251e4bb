// Sums are products with ones, the table is a product with one-hot rows, and tanh' is 1 / cosh squared.
#include "ninja.hpp"

#include <algorithm>
#include <cmath>

namespace {

Matrix operator*(const Matrix& a, const Matrix& b) { return product(a, b); }
Matrix turned(const Matrix& a) { return transposed(a); }

// Element by element; what has one row or one column is repeated.
template <class F>
Matrix each(const Matrix& a, const Matrix& b, F f) {
    const auto at = [](const Matrix& x, int i, int j) { return x(x.rows == 1 ? 0 : i, x.cols == 1 ? 0 : j); };
    return filled(std::max(a.rows, b.rows), std::max(a.cols, b.cols), [&](int i, int j) { return f(at(a, i, j), at(b, i, j)); });
}
Matrix times(const Matrix& a, const Matrix& b) {
    return each(a, b, [](double x, double y) { return x * y; });
}
Matrix plus(const Matrix& a, const Matrix& b) {
    return each(a, b, [](double x, double y) { return x + y; });
}
Matrix scaled_by(double factor, const Matrix& a) { return times(Matrix(1, 1, factor), a); }

// Sums as products with ones.
Matrix down(const Matrix& a) { return Matrix(1, a.rows, 1) * a; }
Matrix across(const Matrix& a) { return a * Matrix(a.cols, 1, 1); }

// A row for each number, with a 1 in its column.
Matrix hot(const std::vector<int>& numbers, int cols) {
    return filled(int(numbers.size()), cols, [&](int i, int j) { return numbers[std::size_t(i)] == j ? 1.0 : 0.0; });
}

}  // namespace

void through_loss(const Model&, const Batch& batch, const Pass& p, Gradients& d) {
    d.logs = scaled_by(-1.0 / p.logs.rows, hot(batch.targets, p.logs.cols));
    d.probabilities = each(d.logs, p.probabilities, [](double g, double x) { return g == 0 ? 0 : g / x; });
}

void through_division(const Model&, const Batch&, const Pass& p, Gradients& d) {
    d.inverse_sum = across(times(d.probabilities, p.powers));
    d.sum = scaled_by(-1, times(d.inverse_sum, times(p.inverse_sum, p.inverse_sum)));
    d.powers = plus(times(d.probabilities, p.inverse_sum), d.sum);
}

void through_exponential(const Model&, const Batch&, const Pass& p, Gradients& d) {
    d.lowered = times(d.powers, p.powers);
    d.largest = scaled_by(-1, across(d.lowered));
    const Matrix best = each(p.logits, p.largest, [](double x, double top) { return x == top ? 1.0 : 0.0; });
    d.logits = plus(d.lowered, times(best, d.largest));
}

void through_output(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    d.hidden = turned(m.weights2 * turned(d.logits));
    d.weights2 = turned(turned(d.logits) * p.hidden);
    d.bias2 = down(d.logits);
}

void through_tanh(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    d.scaled = each(d.hidden, p.scaled, [](double g, double x) { return g / (std::cosh(x) * std::cosh(x)); });
    d.offset = down(d.scaled);
    d.gain = down(times(p.normalised, d.scaled));
    d.normalised = times(m.gain, d.scaled);
}

void through_deviation(const Model&, const Batch&, const Pass& p, Gradients& d) {
    d.inverse = down(times(p.centred, d.normalised));
    d.variance = each(d.inverse, p.inverse, [](double g, double r) { return g * -r * r * r / 2; });
    d.squared = Matrix(p.squared.rows, 1, 1.0 / p.squared.rows) * d.variance;
    d.centred = plus(times(p.inverse, d.normalised), scaled_by(2, times(d.squared, p.centred)));
}

void through_mean(const Model&, const Batch&, const Pass& p, Gradients& d) {
    d.mean = scaled_by(-1, down(d.centred));
    d.linear = plus(d.centred, scaled_by(1.0 / p.linear.rows, d.mean));
}

void through_input(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    d.joined = turned(m.weights1 * turned(d.linear));
    d.weights1 = turned(turned(d.linear) * p.joined);
    d.bias1 = down(d.linear);
}

void through_table(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    std::vector<int> letters;
    for (const auto& context : batch.contexts) letters.insert(letters.end(), context.begin(), context.end());
    d.embedded = d.joined;
    d.embedded.rows = p.embedded.rows;
    d.embedded.cols = p.embedded.cols;
    d.table = turned(hot(letters, m.table.rows)) * d.embedded;
}

Matrix fused_softmax(const Matrix& logits, const std::vector<int>& targets) {
    const Matrix top = filled(logits.rows, 1, [&](int i, int) {
        double most = logits(i, 0);
        for (int j = 1; j < logits.cols; ++j) most = std::fmax(most, logits(i, j));
        return most;
    });
    const Matrix powers = each(logits, top, [](double x, double most) { return std::exp(x - most); });
    const Matrix shares = each(powers, across(powers), [](double x, double sum) { return x / sum; });
    return scaled_by(1.0 / logits.rows, plus(shares, scaled_by(-1, hot(targets, logits.cols))));
}

Matrix fused_norm(const Matrix& d_scaled, const Matrix& normalised, const Matrix& inverse, const Matrix& gain) {
    const Matrix rest = plus(down(d_scaled), times(normalised, down(times(d_scaled, normalised))));
    return times(times(gain, inverse), plus(d_scaled, scaled_by(-1.0 / d_scaled.rows, rest)));
}
