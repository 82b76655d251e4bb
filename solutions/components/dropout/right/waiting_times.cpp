// Draws how many numbers survive before the next zero, instead of a draw for each.
#include "dropout.hpp"

Matrix forward(Dropout& layer, const Matrix& x) {
    if (!layer.training) return x;
    layer.memory = Matrix(x.rows, x.cols, layer.p < 1 ? 1 / (1 - layer.p) : 0);
    if (layer.p > 0 && layer.p < 1) {
        std::uniform_real_distribution<double> uniform(0, 1);
        const auto wait = [&] { return std::floor(std::log1p(-uniform(layer.random)) / std::log1p(-layer.p)); };
        const double size = double(x.numbers.size());
        for (double at = wait(); at < size; at += 1 + wait()) layer.memory.numbers[std::size_t(at)] = 0;
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
