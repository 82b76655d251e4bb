// wrong: takes-the-answer
// outcome: did not compile
#include "bigram_gradient.hpp"

#include <recto/ops/losses/cross_entropy.hpp>

#include <cmath>

Matrix one_hot(const std::vector<int>& symbols, int classes) {
    Matrix x(int(symbols.size()), classes);
    for (int row = 0; row < x.rows; ++row) x(row, symbols[std::size_t(row)]) = 1;
    return x;
}

Matrix logits(const Matrix& x, const Matrix& w) {
    Matrix y(x.rows, w.cols);
    for (int i = 0; i < x.rows; ++i)
        for (int k = 0; k < x.cols; ++k)
            for (int j = 0; j < w.cols; ++j) y(i, j) += x(i, k) * w(k, j);
    return y;
}

Matrix counts(const Matrix& logits) {
    Matrix y = logits;
    for (double& value : y.numbers) value = std::exp(value);
    return y;
}

Matrix probabilities(const Matrix& counts) {
    Matrix p = counts;
    for (int row = 0; row < p.rows; ++row) {
        double sum = 0;
        for (int col = 0; col < p.cols; ++col) sum += p(row, col);
        for (int col = 0; col < p.cols; ++col) p(row, col) /= sum;
    }
    return p;
}

double loss(const Matrix& p, const std::vector<int>& targets) {
    double sum = 0;
    for (int row = 0; row < p.rows; ++row) sum -= std::log(p(row, targets[std::size_t(row)]));
    return sum / p.rows;
}

Matrix gradient(const Matrix& w, const std::vector<int>& symbols, const std::vector<int>& targets) {
    const Matrix p = probabilities(counts(w));  // row i: what follows symbol i
    const double share = 1.0 / double(symbols.size());
    Matrix dw(w.rows, w.cols);
    for (std::size_t n = 0; n < symbols.size(); ++n) {
        for (int col = 0; col < w.cols; ++col) dw(symbols[n], col) += p(symbols[n], col) * share;
        dw(symbols[n], targets[n]) -= share;
    }
    return dw;
}

Matrix train(const std::vector<int>& symbols, const std::vector<int>& targets, int classes, int steps) {
    Matrix w(classes, classes);
    for (int n = 0; n < steps; ++n) {
        const Matrix dw = gradient(w, symbols, targets);
        for (std::size_t at = 0; at < w.numbers.size(); ++at) w.numbers[at] -= 50 * dw.numbers[at];
        if (n % 50 == 0) {
            const Matrix p = probabilities(counts(logits(one_hot(symbols, classes), w)));
            kit::progress(double(n) / steps, loss(p, targets));
        }
    }
    return w;
}
