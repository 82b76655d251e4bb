// Each element of the product as one dot product, through pointers and std::inner_product.
#include "bigram_gradient.hpp"

#include <cmath>
#include <numeric>

Matrix one_hot(const std::vector<int>& symbols, int classes) {
    Matrix x(int(symbols.size()), classes);
    for (std::size_t at = 0; at < x.numbers.size(); ++at)
        x.numbers[at] = symbols[at / std::size_t(classes)] == int(at % std::size_t(classes));
    return x;
}

Matrix logits(const Matrix& x, const Matrix& w) {
    Matrix y(x.rows, w.cols);
    std::vector<double> column(std::size_t(w.rows), 0.0);
    for (int j = 0; j < w.cols; ++j) {
        for (int k = 0; k < w.rows; ++k)
            column[std::size_t(k)] = w.numbers[std::size_t(k) * std::size_t(w.cols) + std::size_t(j)];
        const double* row = x.numbers.data();
        for (int i = 0; i < x.rows; ++i, row += x.cols)
            y(i, j) = std::inner_product(row, row + x.cols, column.begin(), 0.0);
    }
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
