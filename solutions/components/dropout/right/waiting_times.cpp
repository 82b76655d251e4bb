// Draws how many numbers survive before the next zero, instead of a draw for each.
#include "dropout.hpp"

Matrix forward(Dropout& layer, const Matrix& x) {
    if (!layer.training) return x;
    layer.memory = Matrix(x.rows, x.cols, layer.p < 1 ? 1 / (1 - layer.p) : 0);
    if (layer.p > 0 && layer.p < 1) {
        std::geometric_distribution<long> wait(layer.p);
        const long size = long(x.numbers.size());
        for (long at = wait(layer.random); at < size; at += 1 + wait(layer.random)) layer.memory.numbers[std::size_t(at)] = 0;
    }
    Matrix y = x;
    for (std::size_t i = 0; i < y.numbers.size(); ++i) y.numbers[i] = layer.memory.numbers[i] * x.numbers[i];
    return y;
}

Matrix backward(const Dropout& layer, const Matrix& dy) {
    if (!layer.training) return dy;
    Matrix dx(dy.rows, dy.cols);
    std::transform(dy.numbers.begin(), dy.numbers.end(), layer.memory.numbers.begin(), dx.numbers.begin(),
                   [](double slope, double factor) { return slope * factor; });
    return dx;
}
