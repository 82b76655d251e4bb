// Ratios of counts, and a gradient from how often each target follows.
#include "bigram_gradient.hpp"

#include <algorithm>
#include <cmath>

Matrix one_hot(const std::vector<int>& symbols, int classes) {
    Matrix x(int(symbols.size()), classes);
    std::size_t place = 0;
    for (const int symbol : symbols) {
        x.numbers[place + std::size_t(symbol)] = 1;
        place += std::size_t(classes);
    }
    return x;
}

Matrix logits(const Matrix& x, const Matrix& w) {
    Matrix y(x.rows, w.cols);
    for (int k = x.cols - 1; k >= 0; --k)
        for (int i = 0; i < x.rows; ++i) {
            if (x(i, k) == 0) continue;  // nearly always
            for (int j = 0; j < w.cols; ++j) y(i, j) += x(i, k) * w(k, j);
        }
    return y;
}

Matrix counts(const Matrix& logits) {
    Matrix y(logits.rows, logits.cols);
    for (int i = 0; i < y.rows; ++i)
        for (int j = 0; j < y.cols; ++j) y(i, j) = std::pow(std::exp(logits(i, j) / 2), 2);
    return y;
}

Matrix probabilities(const Matrix& counts) {
    Matrix p(counts.rows, counts.cols);
    for (int i = 0; i < p.rows; ++i)
        for (int j = 0; j < p.cols; ++j) {
            double ratio = 0;  // one over the probability
            for (int k = 0; k < p.cols; ++k) ratio += counts(i, k) / counts(i, j);
            p(i, j) = 1 / ratio;
        }
    return p;
}

double loss(const Matrix& p, const std::vector<int>& targets) {
    long double mean = 0;
    for (int n = p.rows - 1; n >= 0; --n) mean -= std::log((long double)p(n, targets[std::size_t(n)])) / p.rows;
    return double(mean);
}

namespace {

// One row of the gradient from how often each target follows the symbol.
struct Follows {
    std::vector<double> times;
    double whole = 0;
};

}  // namespace

Matrix gradient(const Matrix& w, const std::vector<int>& symbols, const std::vector<int>& targets) {
    std::vector<Follows> rows(std::size_t(w.rows), {std::vector<double>(std::size_t(w.cols), 0.0), 0});
    for (std::size_t n = 0; n < symbols.size(); ++n) {
        rows[std::size_t(symbols[n])].times[std::size_t(targets[n])] += 1;
        rows[std::size_t(symbols[n])].whole += 1;
    }
    Matrix dw(w.rows, w.cols);
    for (int i = 0; i < w.rows; ++i) {
        double largest = w(i, 0), sum = 0;
        for (int j = 1; j < w.cols; ++j) largest = std::max(largest, w(i, j));
        for (int j = 0; j < w.cols; ++j) sum += std::exp(w(i, j) - largest);
        const Follows& row = rows[std::size_t(i)];
        for (int j = 0; j < w.cols; ++j)
            dw(i, j) = (row.whole * std::exp(w(i, j) - largest) / sum - row.times[std::size_t(j)]) / double(symbols.size());
    }
    return dw;
}

Matrix train(const std::vector<int>& symbols, const std::vector<int>& targets, int classes, int steps) {
    Matrix w(classes, classes, 0.5);
    for (int step = steps; step > 0; --step) {
        const Matrix dw = gradient(w, symbols, targets);
        auto slope = dw.numbers.begin();
        for (double& weight : w.numbers) weight -= 40 * *slope++;
    }
    return w;
}
