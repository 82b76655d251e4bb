// All sums in long double.
#include "chain.hpp"

#include <algorithm>
#include <cmath>

namespace {

// a b
Matrix product(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.cols);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < b.cols; ++j) {
            long double sum = 0;
            for (int k = 0; k < a.cols; ++k) sum += (long double)a(i, k) * b(k, j);
            c(i, j) = double(sum);
        }
    return c;
}

Matrix transposed(const Matrix& a) {
    Matrix b(a.cols, a.rows);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < a.cols; ++j) b(j, i) = a(i, j);
    return b;
}

Matrix relu(Matrix a) {
    for (double& value : a.numbers) value = std::max(value, 0.0);
    return a;
}

void add(Matrix& a, const Matrix& b) {
    for (std::size_t i = 0; i < a.numbers.size(); ++i) a.numbers[i] += b.numbers[i];
}

// What a block multiplies: relu of its input, times its matrix.
Matrix layer(const Matrix& h, const Matrix& weights) { return product(relu(h), weights); }

// The derivative of the loss with respect to the scores.
Matrix of_scores(Matrix scores, const std::vector<int>& labels) {
    for (int n = 0; n < scores.rows; ++n) {
        double largest = scores(n, 0), sum = 0;
        for (int k = 1; k < scores.cols; ++k) largest = std::max(largest, scores(n, k));
        for (int k = 0; k < scores.cols; ++k) sum += scores(n, k) = std::exp(scores(n, k) - largest);
        for (int k = 0; k < scores.cols; ++k)
            scores(n, k) = (scores(n, k) / sum - (k == labels[n] ? 1 : 0)) / scores.rows;
    }
    return scores;
}

}  // namespace

Matrix normalise(const Matrix& z) {
    Matrix y = z;
    for (int j = 0; j < z.cols; ++j) {
        long double mean = 0, variance = 0;
        for (int n = 0; n < z.rows; ++n) mean += z(n, j);
        mean /= z.rows;
        for (int n = 0; n < z.rows; ++n) variance += (z(n, j) - mean) * (z(n, j) - mean);
        for (int n = 0; n < z.rows; ++n)
            y(n, j) = double((z(n, j) - mean) / std::sqrt(variance / z.rows + (long double)epsilon));
    }
    return y;
}

Matrix normalise_backward(const Matrix& z, const Matrix& dy) {
    const Matrix y = normalise(z);
    Matrix dz = dy;
    for (int j = 0; j < z.cols; ++j) {
        double mean = 0, variance = 0, first = 0, second = 0;
        for (int n = 0; n < z.rows; ++n) mean += z(n, j) / z.rows;
        for (int n = 0; n < z.rows; ++n) variance += (z(n, j) - mean) * (z(n, j) - mean) / z.rows;
        for (int n = 0; n < z.rows; ++n) first += dy(n, j) / z.rows, second += dy(n, j) * y(n, j) / z.rows;
        for (int n = 0; n < z.rows; ++n)
            dz(n, j) = (dy(n, j) - first - y(n, j) * second) / std::sqrt(variance + epsilon);
    }
    return dz;
}

Pass forward(const Chain& net, const Matrix& x) {
    Pass pass;
    pass.signals.push_back(product(x, net.enter));
    for (const Matrix& weights : net.blocks) {
        const Matrix& h = pass.signals.back();
        Matrix f = layer(h, weights);
        if (net.normalised) f = normalise(f);
        if (net.skips) add(f, h);
        pass.signals.push_back(f);
    }
    pass.scores = product(pass.signals.back(), net.leave);
    return pass;
}

std::vector<Matrix> gradients(const Chain& net, const Matrix& x, const std::vector<int>& labels) {
    const Pass pass = forward(net, x);
    Matrix dh = product(of_scores(pass.scores, labels), transposed(net.leave));
    std::vector<Matrix> found(net.blocks.size());
    for (int d = int(net.blocks.size()) - 1; d >= 0; --d) {
        const Matrix &h = pass.signals[d], &weights = net.blocks[d];
        const Matrix dz = net.normalised ? normalise_backward(layer(h, weights), dh) : dh;
        found[d] = product(transposed(relu(h)), dz);
        Matrix before = product(dz, transposed(weights));
        for (std::size_t i = 0; i < h.numbers.size(); ++i)
            if (h.numbers[i] <= 0) before.numbers[i] = 0;
        if (net.skips) add(before, dh);
        dh = before;
    }
    return found;
}

Matrix table(const Chain& net, const Matrix& x, const std::vector<int>& labels) {
    Matrix found(4, int(net.blocks.size()));
    for (int row = 0; row < 4; ++row) {
        Chain one = net;
        one.skips = row >= 2;
        one.normalised = row % 2 == 1;
        const std::vector<Matrix> all = gradients(one, x, labels);
        for (int d = 0; d < found.cols; ++d) {
            double squares = 0;
            for (const double value : all[d].numbers) squares += value * value;
            found(row, d) = std::sqrt(squares);
        }
    }
    return found;
}
