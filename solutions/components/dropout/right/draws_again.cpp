// Keeps no mask: draws a seed, and backward draws the same zeros from it again.
#include "dropout.hpp"

namespace {

Matrix dropped(const Matrix& x, double p, double seed) {
    std::mt19937 random{std::uint32_t(seed)};
    Matrix y = x;
    for (double& number : y.numbers)
        if (std::generate_canonical<double, 53>(random) < p)
            number = 0;
        else
            number /= 1 - p;
    return y;
}

}  // namespace

Matrix forward(Dropout& layer, const Matrix& x) {
    if (!layer.training) return x;
    layer.memory = Matrix(1, 1, double(layer.random() >> 32));
    return dropped(x, layer.p, layer.memory(0, 0));
}

Matrix backward(const Dropout& layer, const Matrix& dy) {
    return layer.training ? dropped(dy, layer.p, layer.memory(0, 0)) : dy;
}
