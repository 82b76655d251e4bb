// The student wrote a small tape and lets it find everything: no formula of the backward pass stands here but those of the
// tape's own operations.
#include "ninja.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace {

struct Node {
    double value = 0, gradient = 0;
    Node* from[2] = {nullptr, nullptr};
    double slope[2] = {0, 0};
};
struct Tape {
    std::deque<Node> nodes;
    Node* make(double value, Node* a = nullptr, double da = 0, Node* b = nullptr, double db = 0) {
        nodes.push_back({value, 0, {a, b}, {da, db}});
        return &nodes.back();
    }
    Node* add(Node* a, Node* b) { return make(a->value + b->value, a, 1, b, 1); }
    Node* subtract(Node* a, Node* b) { return make(a->value - b->value, a, 1, b, -1); }
    Node* multiply(Node* a, Node* b) { return make(a->value * b->value, a, b->value, b, a->value); }
    Node* scale(Node* a, double factor) { return make(a->value * factor, a, factor); }
    void back() {
        for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
            for (int i = 0; i < 2; ++i)
                if (node->from[i]) node->from[i]->gradient += node->gradient * node->slope[i];
    }
};
struct Grid {
    int rows, cols;
    std::vector<Node*> nodes;
    Node*& at(int i, int j) { return nodes[std::size_t(i * cols + j)]; }
};

Grid leaves(Tape& tape, const Matrix& m) {
    Grid grid{m.rows, m.cols, {}};
    for (const double x : m.numbers) grid.nodes.push_back(tape.make(x));
    return grid;
}
template <class F>
Grid grid_of(int rows, int cols, F f) {
    Grid grid{rows, cols, {}};
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) grid.nodes.push_back(f(i, j));
    return grid;
}
void seed(Grid& grid, const Matrix& gradient) {
    for (std::size_t i = 0; i < grid.nodes.size(); ++i) grid.nodes[i]->gradient += gradient.numbers[i];
}
Matrix gradient(const Grid& grid) {
    Matrix m(grid.rows, grid.cols);
    for (std::size_t i = 0; i < grid.nodes.size(); ++i) m.numbers[i] = grid.nodes[i]->gradient;
    return m;
}
Node* dot(Tape& tape, Grid& a, int row, Grid& b, int col) {
    Node* sum = tape.make(0);
    for (int k = 0; k < a.cols; ++k) sum = tape.add(sum, tape.multiply(a.at(row, k), b.at(k, col)));
    return sum;
}
void affine(const Matrix& x, const Matrix& weights, const Matrix& bias, const Matrix& dy, Matrix& dx, Matrix& dw,
            Matrix& db) {
    Tape tape;
    Grid in = leaves(tape, x), w = leaves(tape, weights), b = leaves(tape, bias);
    Grid out =
        grid_of(x.rows, weights.cols, [&](int i, int j) { return tape.add(dot(tape, in, i, w, j), b.at(0, j)); });
    seed(out, dy);
    tape.back();
    dx = gradient(in);
    dw = gradient(w);
    db = gradient(b);
}
Node* power(Tape& tape, Node* a, double exponent, double more = 0) {
    return tape.make(std::pow(a->value + more, exponent), a, exponent * std::pow(a->value + more, exponent - 1));
}
Node* column_mean(Tape& tape, Grid& a, int j) {
    Node* sum = tape.make(0);
    for (int i = 0; i < a.rows; ++i) sum = tape.add(sum, a.at(i, j));
    return tape.scale(sum, 1.0 / a.rows);
}

}  // namespace

void through_loss(const Model&, const Batch& batch, const Pass& p, Gradients& d) {
    Tape tape;
    Grid probabilities = leaves(tape, p.probabilities);
    Grid logs = grid_of(p.logs.rows, p.logs.cols, [&](int i, int j) {
        Node* x = probabilities.at(i, j);
        return tape.make(std::log(x->value), x, 1 / x->value);
    });
    for (int n = 0; n < p.logs.rows; ++n) logs.at(n, batch.targets[n])->gradient = -1.0 / p.logs.rows;
    tape.back();
    d.logs = gradient(logs);
    d.probabilities = gradient(probabilities);
}

void through_division(const Model&, const Batch&, const Pass& p, Gradients& d) {
    Tape tape;
    Grid powers = leaves(tape, p.powers);
    Grid sums = grid_of(p.sum.rows, 1, [&](int i, int) {
        Node* sum = tape.make(0);
        for (int k = 0; k < powers.cols; ++k) sum = tape.add(sum, powers.at(i, k));
        return sum;
    });
    Grid inverse = grid_of(p.sum.rows, 1, [&](int i, int) { return power(tape, sums.at(i, 0), -1); });
    Grid out = grid_of(p.powers.rows, p.powers.cols,
                       [&](int i, int j) { return tape.multiply(powers.at(i, j), inverse.at(i, 0)); });
    seed(out, d.probabilities);
    tape.back();
    d.inverse_sum = gradient(inverse);
    d.sum = gradient(sums);
    d.powers = gradient(powers);
}

void through_exponential(const Model&, const Batch&, const Pass& p, Gradients& d) {
    Tape tape;
    Grid logits = leaves(tape, p.logits);
    Grid largest = grid_of(p.logits.rows, 1, [&](int i, int) {
        Node* best = logits.at(i, 0);
        for (int k = 1; k < logits.cols; ++k) best = logits.at(i, k)->value > best->value ? logits.at(i, k) : best;
        return tape.scale(best, 1);
    });
    Grid lowered = grid_of(p.logits.rows, p.logits.cols,
                           [&](int i, int j) { return tape.subtract(logits.at(i, j), largest.at(i, 0)); });
    Grid powers = grid_of(p.logits.rows, p.logits.cols, [&](int i, int j) {
        const double y = std::exp(lowered.at(i, j)->value);
        return tape.make(y, lowered.at(i, j), y);
    });
    seed(powers, d.powers);
    tape.back();
    d.lowered = gradient(lowered);
    d.largest = gradient(largest);
    d.logits = gradient(logits);
}

void through_output(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    affine(p.hidden, m.weights2, m.bias2, d.logits, d.hidden, d.weights2, d.bias2);
}

void through_tanh(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    Tape tape;
    Grid normalised = leaves(tape, p.normalised), gain = leaves(tape, m.gain), offset = leaves(tape, m.offset);
    Grid scaled = grid_of(p.scaled.rows, p.scaled.cols, [&](int i, int j) {
        return tape.add(tape.multiply(normalised.at(i, j), gain.at(0, j)), offset.at(0, j));
    });
    Grid hidden = grid_of(p.scaled.rows, p.scaled.cols, [&](int i, int j) {
        const double y = std::tanh(scaled.at(i, j)->value);
        return tape.make(y, scaled.at(i, j), 1 - y * y);
    });
    seed(hidden, d.hidden);
    tape.back();
    d.scaled = gradient(scaled);
    d.gain = gradient(gain);
    d.offset = gradient(offset);
    d.normalised = gradient(normalised);
}

void through_deviation(const Model&, const Batch&, const Pass& p, Gradients& d) {
    Tape tape;
    Grid centred = leaves(tape, p.centred);
    Grid squared = grid_of(centred.rows, centred.cols,
                           [&](int i, int j) { return tape.multiply(centred.at(i, j), centred.at(i, j)); });
    Grid variance = grid_of(1, centred.cols, [&](int, int j) { return column_mean(tape, squared, j); });
    Grid inverse = grid_of(1, centred.cols, [&](int, int j) { return power(tape, variance.at(0, j), -0.5, epsilon); });
    Grid out = grid_of(centred.rows, centred.cols,
                       [&](int i, int j) { return tape.multiply(centred.at(i, j), inverse.at(0, j)); });
    seed(out, d.normalised);
    tape.back();
    d.inverse = gradient(inverse);
    d.variance = gradient(variance);
    d.squared = gradient(squared);
    d.centred = gradient(centred);
}

void through_mean(const Model&, const Batch&, const Pass& p, Gradients& d) {
    Tape tape;
    Grid linear = leaves(tape, p.linear);
    Grid mean = grid_of(1, linear.cols, [&](int, int j) { return column_mean(tape, linear, j); });
    Grid centred =
        grid_of(linear.rows, linear.cols, [&](int i, int j) { return tape.subtract(linear.at(i, j), mean.at(0, j)); });
    seed(centred, d.centred);
    tape.back();
    d.mean = gradient(mean);
    d.linear = gradient(linear);
}

void through_input(const Model& m, const Batch&, const Pass& p, Gradients& d) {
    affine(p.joined, m.weights1, m.bias1, d.linear, d.joined, d.weights1, d.bias1);
}

void through_table(const Model& m, const Batch& batch, const Pass& p, Gradients& d) {
    Tape tape;
    const int T = p.embedded.rows / p.joined.rows, D = m.table.cols;
    Grid table = leaves(tape, m.table);
    Grid embedded = grid_of(p.embedded.rows, D,
                            [&](int i, int j) { return tape.scale(table.at(batch.contexts[i / T][i % T], j), 1); });
    Grid joined = grid_of(p.joined.rows, p.joined.cols,
                          [&](int i, int j) { return tape.scale(embedded.at(i * T + j / D, j % D), 1); });
    seed(joined, d.joined);
    tape.back();
    d.embedded = gradient(embedded);
    d.table = gradient(table);
}

Matrix fused_softmax(const Matrix& logits, const std::vector<int>& targets) {
    Tape tape;
    Grid in = leaves(tape, logits);
    for (int n = 0; n < logits.rows; ++n) {  // log(sum exp) - logit of the target, by adding two at a time
        Node* whole = in.at(n, 0);
        for (int k = 1; k < logits.cols; ++k) {
            const double a = whole->value, b = in.at(n, k)->value, m = std::max(a, b);
            whole = tape.make(m + std::log(std::exp(a - m) + std::exp(b - m)), whole, 1 / (1 + std::exp(b - a)),
                              in.at(n, k), 1 / (1 + std::exp(a - b)));
        }
        tape.subtract(whole, in.at(n, targets[n]))->gradient = 1.0 / logits.rows;
    }
    tape.back();
    return gradient(in);
}

Matrix fused_norm(const Matrix& d_scaled, const Matrix& normalised, const Matrix& inverse, const Matrix& gain) {
    Matrix dx = d_scaled;
    for (int j = 0; j < dx.cols; ++j) {
        double a = 0, b = 0;
        for (int i = 0; i < dx.rows; ++i) a += dx(i, j), b += dx(i, j) * normalised(i, j);
        for (int i = 0; i < dx.rows; ++i)
            dx(i, j) = gain(0, j) * inverse(0, j) / dx.rows * (dx.rows * dx(i, j) - a - normalised(i, j) * b);
    }
    return dx;
}
