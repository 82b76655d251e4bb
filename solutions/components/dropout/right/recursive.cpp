// Halves the list of numbers until one is left, and draws for that one; whole numbers are drawn up to a bound.
#include "dropout.hpp"

namespace {

void draw(double* first, double* last, double p, std::mt19937_64& random) {
    if (last - first > 1) {
        double* const middle = first + (last - first) / 2;
        draw(middle, last, p, random);
        draw(first, middle, p, random);
    } else if (first != last) {
        const std::int64_t bound = std::int64_t(1) << 53;
        std::uniform_int_distribution<std::int64_t> whole(0, bound - 1);
        *first = double(whole(random)) < p * double(bound) ? 0 : 1;
    }
}

}  // namespace

Matrix forward(Dropout& layer, const Matrix& x) {
    layer.memory = Matrix(x.rows, x.cols, 1);
    if (layer.training)
        draw(layer.memory.numbers.data(), layer.memory.numbers.data() + x.numbers.size(), layer.p, layer.random);
    return backward(layer, x);
}

Matrix backward(const Dropout& layer, const Matrix& dy) {
    Matrix dx(dy.rows, dy.cols);
    for (std::size_t i = 0; i < dy.numbers.size(); ++i) {
        if (layer.memory.numbers[i] == 0) continue;
        dx.numbers[i] = layer.training ? dy.numbers[i] / (1 - layer.p) : dy.numbers[i];
    }
    return dx;
}
