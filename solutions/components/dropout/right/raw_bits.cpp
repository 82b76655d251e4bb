// Compares the upper 53 bits of each draw with p, as a fraction.
#include "dropout.hpp"

Matrix forward(Dropout& layer, const Matrix& x) {
    layer.memory = Matrix(x.rows, x.cols, 1);
    if (!layer.training) return x;
    Matrix y = x;
    for (std::size_t i = y.numbers.size(); i-- > 0;) {
        const double fraction = std::ldexp(double(layer.random() >> 11), -53);
        layer.memory.numbers[i] = fraction < layer.p ? 0 : 1 / (1 - layer.p);
        y.numbers[i] *= layer.memory.numbers[i];
    }
    return y;
}

Matrix backward(const Dropout& layer, const Matrix& dy) {
    Matrix dx = dy;
    for (std::size_t i = 0; i < dx.numbers.size(); ++i) dx.numbers[i] *= layer.memory.numbers[i];
    return dx;
}
