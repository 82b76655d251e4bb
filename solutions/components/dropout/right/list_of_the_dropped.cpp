// The memory lists the places of the dropped numbers.
#include "dropout.hpp"

namespace {

Matrix without(const Matrix& x, const std::vector<double>& dropped, double p) {
    Matrix y = x;
    for (const double place : dropped) y.numbers[std::size_t(place)] = 0;
    if (p < 1)
        for (double& number : y.numbers) number /= 1 - p;
    return y;
}

}  // namespace

Matrix forward(Dropout& layer, const Matrix& x) {
    layer.memory = Matrix();
    if (!layer.training) return x;
    for (std::size_t i = 0; i < x.numbers.size(); ++i)
        if (std::bernoulli_distribution(layer.p)(layer.random)) layer.memory.numbers.push_back(double(i));
    return without(x, layer.memory.numbers, layer.p);
}

Matrix backward(const Dropout& layer, const Matrix& dy) {
    return layer.training ? without(dy, layer.memory.numbers, layer.p) : dy;
}
