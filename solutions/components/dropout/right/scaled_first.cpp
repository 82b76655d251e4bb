// Multiplies by 1/(1 - p), then sets numbers to zero; the kept draws are compared with p once more in backward.
#include "dropout.hpp"

Matrix forward(Dropout& layer, const Matrix& x) {
    if (!layer.training) return x;
    layer.memory = Matrix(x.rows, x.cols);
    std::generate(layer.memory.numbers.begin(), layer.memory.numbers.end(),
                  [&] { return std::uniform_real_distribution<double>()(layer.random); });
    return backward(layer, x);  // the layer is linear once the draws are made
}

Matrix backward(const Dropout& layer, const Matrix& dy) {
    if (!layer.training) return dy;
    const double factor = 1 / (1 - layer.p);
    Matrix dx = dy;
    for (double& slope : dx.numbers) slope *= factor;
    for (std::size_t i = 0; i < dx.numbers.size(); ++i)
        if (layer.memory.numbers[i] < layer.p) dx.numbers[i] = 0;
    return dx;
}
