// Keeps a number if a uniform random number is at least p; the mask holds 0 and 1, and both functions divide.
#include "dropout.hpp"

namespace {

Matrix masked(const Matrix& mask, const Matrix& x, double p) {
    Matrix y(x.rows, x.cols);
    for (int row = 0; row < x.rows; ++row)
        for (int col = 0; col < x.cols; ++col)
            if (mask(row, col) != 0) y(row, col) = x(row, col) / (1 - p);
    return y;
}

}  // namespace

Matrix forward(Dropout& layer, const Matrix& x) {
    if (!layer.training) return x;
    std::uniform_real_distribution<double> uniform(0, 1);
    layer.memory = Matrix(x.rows, x.cols);
    for (double& keeps : layer.memory.numbers) keeps = uniform(layer.random) >= layer.p;
    return masked(layer.memory, x, layer.p);
}

Matrix backward(const Dropout& layer, const Matrix& dy) {
    return layer.training ? masked(layer.memory, dy, layer.p) : dy;
}
