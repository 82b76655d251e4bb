// Standard algorithms, the chain rule as matrix products, and a count of pairs.
#include "bigram_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

Matrix one_hot(const std::vector<int>& symbols, int classes) {
    Matrix x;
    x.rows = int(symbols.size());
    x.cols = classes;
    for (const int symbol : symbols)
        for (int k = 0; k < classes; ++k) x.numbers.push_back(k == symbol ? 1.0 : 0.0);
    return x;
}

Matrix logits(const Matrix& x, const Matrix& w) {
    Matrix y(x.rows, w.cols);
    for (int j = 0; j < w.cols; ++j) {
        std::vector<double> column;
        for (int k = 0; k < w.rows; ++k) column.push_back(w(k, j));
        for (int i = 0; i < x.rows; ++i)
            y(i, j) = std::inner_product(column.begin(), column.end(), x.numbers.begin() + i * x.cols, 0.0);
    }
    return y;
}

Matrix counts(const Matrix& logits) {
    Matrix y(logits.rows, logits.cols);
    std::transform(logits.numbers.begin(), logits.numbers.end(), y.numbers.begin(), [](double value) { return std::exp(value); });
    return y;
}

Matrix probabilities(const Matrix& counts) {
    Matrix p = counts;
    for (auto row = p.numbers.begin(); row != p.numbers.end(); row += p.cols) {
        const double sum = std::reduce(row, row + p.cols);
        std::for_each(row, row + p.cols, [sum](double& value) { value /= sum; });
    }
    return p;
}

double loss(const Matrix& p, const std::vector<int>& targets) {
    std::vector<double> terms;
    for (std::size_t n = 0; n < targets.size(); ++n) terms.push_back(std::log(p(int(n), targets[n])));
    return -std::accumulate(terms.begin(), terms.end(), 0.0) / double(terms.size());
}

// The chain rule in matrices: x transposed times (p - one_hot(targets)) / n.
Matrix gradient(const Matrix& w, const std::vector<int>& symbols, const std::vector<int>& targets) {
    const Matrix x = one_hot(symbols, w.rows), p = probabilities(counts(logits(x, w))), hot = one_hot(targets, w.cols);
    Matrix turned(x.cols, x.rows), rest = p;
    for (int i = 0; i < x.rows; ++i)
        for (int k = 0; k < x.cols; ++k) turned(k, i) = x(i, k);
    for (std::size_t at = 0; at < rest.numbers.size(); ++at) rest.numbers[at] = (p.numbers[at] - hot.numbers[at]) / p.rows;
    return logits(turned, rest);
}

// All pairs of one kind have the same gradient: count them once.
Matrix train(const std::vector<int>& symbols, const std::vector<int>& targets, int classes, int steps) {
    Matrix kinds(classes, classes), w(classes, classes);
    for (std::size_t n = 0; n < symbols.size(); ++n) kinds(symbols[n], targets[n]) += 1;
    for (int step = 0; step < steps; ++step) {
        const Matrix p = probabilities(counts(w));
        for (int i = 0; i < classes; ++i) {
            const auto row = kinds.numbers.begin() + i * classes;
            const double times = std::accumulate(row, row + classes, 0.0);
            for (int j = 0; j < classes; ++j) w(i, j) -= 60 * (times * p(i, j) - kinds(i, j)) / double(symbols.size());
        }
    }
    return w;
}
