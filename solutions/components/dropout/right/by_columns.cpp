// Draws column by column from the bottom, from a distribution over two outcomes.
#include "dropout.hpp"

Matrix forward(Dropout& layer, const Matrix& x) {
    if (!layer.training) return x;
    std::discrete_distribution<int> outcome({layer.p, 1 - layer.p});
    layer.memory = Matrix(x.rows, x.cols);
    Matrix y = layer.memory;
    for (int col = 0; col < x.cols; ++col)
        for (int row = x.rows; row-- > 0;) {
            layer.memory(row, col) = outcome(layer.random);
            y(row, col) = layer.memory(row, col) == 0 ? 0 : x(row, col) / (1 - layer.p);
        }
    return y;
}

Matrix backward(const Dropout& layer, const Matrix& dy) {
    Matrix dx = dy;
    if (layer.training)
        for (int row = 0; row < dy.rows; ++row)
            for (int col = 0; col < dy.cols; ++col)
                dx(row, col) = layer.memory(row, col) == 0 ? 0 : dy(row, col) / (1 - layer.p);
    return dx;
}
