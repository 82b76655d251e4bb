// Copies the generator before each call's draws into the memory, number by number, through a seed of several words.
#include "dropout.hpp"

namespace {

std::mt19937_64 from(const Matrix& words) {
    const std::vector<std::uint32_t> whole(words.numbers.begin(), words.numbers.end());
    std::seed_seq sequence(whole.begin(), whole.end());
    return std::mt19937_64(sequence);
}

template <class F>
Matrix for_each_survivor(const Matrix& x, double p, std::mt19937_64 random, F kept) {
    Matrix y(x.rows, x.cols);
    if (p == 1) return y;
    for (int row = 0; row < x.rows; ++row)
        for (int col = 0; col < x.cols; ++col)
            if (std::bernoulli_distribution(1 - p)(random)) y(row, col) = kept(x(row, col));
    return y;
}

}  // namespace

Matrix forward(Dropout& layer, const Matrix& x) {
    if (!layer.training) return x;
    layer.memory = Matrix(1, 8);
    for (double& word : layer.memory.numbers) word = double(std::uint32_t(layer.random()));
    return for_each_survivor(x, layer.p, from(layer.memory), [&](double value) { return value * (1 / (1 - layer.p)); });
}

Matrix backward(const Dropout& layer, const Matrix& dy) {
    if (!layer.training) return dy;
    return for_each_survivor(dy, layer.p, from(layer.memory), [&](double slope) { return slope / (1 - layer.p); });
}
