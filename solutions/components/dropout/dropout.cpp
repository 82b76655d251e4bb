#include "dropout.hpp"

Matrix forward(Dropout& layer, const Matrix& x) {
    if (!layer.training) return x;
    std::bernoulli_distribution drops(layer.p);
    Matrix y(x.rows, x.cols);
    layer.memory = Matrix(x.rows, x.cols);  // the factor of every number
    for (std::size_t i = 0; i < x.numbers.size(); ++i) {
        layer.memory.numbers[i] = drops(layer.random) ? 0 : 1 / (1 - layer.p);
        y.numbers[i] = layer.memory.numbers[i] * x.numbers[i];
    }
    return y;
}

Matrix backward(const Dropout& layer, const Matrix& dy) {
    if (!layer.training) return dy;
    Matrix dx(dy.rows, dy.cols);
    for (std::size_t i = 0; i < dy.numbers.size(); ++i) dx.numbers[i] = layer.memory.numbers[i] * dy.numbers[i];
    return dx;
}
