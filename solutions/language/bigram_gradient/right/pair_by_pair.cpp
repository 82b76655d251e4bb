// Products by recursion, expm1 and log2, and a map of the kinds of pairs.
#include "bigram_gradient.hpp"

#include <cmath>
#include <map>
#include <utility>

Matrix one_hot(const std::vector<int>& symbols, int classes) {
    Matrix x;
    x.rows = int(symbols.size());
    x.cols = classes;
    for (const int symbol : symbols)
        for (int k = 0; k < classes; ++k) x.numbers.push_back(k == symbol ? 1.0 : 0.0);
    return x;
}

// Row times column, in halves.
static double dot(const Matrix& x, const Matrix& w, int i, int j, int first, int last) {
    if (last - first == 1) return x(i, first) * w(first, j);
    if (last == first) return 0;
    const int middle = (first + last) / 2;
    return dot(x, w, i, j, first, middle) + dot(x, w, i, j, middle, last);
}

Matrix logits(const Matrix& x, const Matrix& w) {
    Matrix y(x.rows, w.cols);
    for (int i = 0; i < y.rows; ++i)
        for (int j = 0; j < y.cols; ++j) y(i, j) = dot(x, w, i, j, 0, x.cols);
    return y;
}

Matrix counts(const Matrix& logits) {
    Matrix y = logits;
    for (double* value = y.numbers.data(); value != y.numbers.data() + y.numbers.size(); ++value) *value = std::expm1(*value) + 1;
    return y;
}

Matrix probabilities(const Matrix& counts) {
    std::vector<double> sums;
    for (int i = 0; i < counts.rows; ++i) {
        sums.push_back(0);
        for (int j = counts.cols; j-- > 0;) sums.back() += counts(i, j);
    }
    Matrix p = counts;
    for (std::size_t at = 0; at < p.numbers.size(); ++at) p.numbers[at] *= 1 / sums[at / std::size_t(p.cols)];
    return p;
}

double loss(const Matrix& p, const std::vector<int>& targets) {
    double sum = 0;
    int row = 0;
    for (const int target : targets) sum += std::log2(1 / p(row++, target));
    return sum * std::log(2.0) / double(targets.size());
}

Matrix gradient(const Matrix& w, const std::vector<int>& symbols, const std::vector<int>& targets) {
    std::map<std::pair<int, int>, int> pairs;
    for (std::size_t n = 0; n < symbols.size(); ++n) ++pairs[{symbols[n], targets[n]}];
    const Matrix p = probabilities(counts(w));
    Matrix dw(w.rows, w.cols);
    for (const auto& [pair, times] : pairs)
        for (int j = 0; j < w.cols; ++j) dw(pair.first, j) += times * (p(pair.first, j) - (j == pair.second ? 1 : 0));
    for (double& slope : dw.numbers) slope /= double(symbols.size());
    return dw;
}

// The rate grows while the loss falls.
Matrix train(const std::vector<int>& symbols, const std::vector<int>& targets, int classes, int steps) {
    Matrix w(classes, classes);
    double rate = 10;
    for (int step = 0; step < steps; ++step) {
        const Matrix dw = gradient(w, symbols, targets);
        for (int i = 0; i < classes; ++i)
            for (int j = 0; j < classes; ++j) w(i, j) -= rate * dw(i, j);
        if (rate < 50) rate *= 1.1;
    }
    return w;
}
