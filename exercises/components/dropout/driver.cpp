#include "driver.hpp"

#include "dropout.hpp"

namespace {

Dropout made(double p, const std::string& mode, long seed) {
    return {p, mode == "training", std::mt19937_64{std::uint64_t(seed)}, {}};
}

Matrix call_forward(const Matrix& x, double p, const std::string& mode, long seed) {
    Dropout layer = made(p, mode, seed);
    return forward(layer, x);
}

// Several steps of training with one layer: the results below each other.
Matrix call_steps(const Matrix& x, double p, long seed, int count) {
    Dropout layer = made(p, "training", seed);
    Matrix all(0, x.cols);
    for (int step = 0; step < count; ++step) {
        const Matrix y = forward(layer, x);
        if (y.rows != x.rows || y.cols != x.cols) return y;  // another shape: the judge says so
        all.rows += y.rows;
        all.numbers.insert(all.numbers.end(), y.numbers.begin(), y.numbers.end());
    }
    return all;
}

// A step of training, then perhaps an evaluation, then another step of training, whose result is returned.
Matrix call_interrupted(const Matrix& x, double p, long seed, bool evaluates) {
    Dropout layer = made(p, "training", seed);
    forward(layer, x);
    layer.training = false;
    if (evaluates) forward(layer, x);
    layer.training = true;
    return forward(layer, x);
}

// The result of forward, and then of backward.
std::pair<Matrix, Matrix> call_backward(const Matrix& x, const Matrix& dy, double p, const std::string& mode,
                                        long seed) {
    Dropout layer = made(p, mode, seed);
    const Matrix y = forward(layer, x);
    return {y, backward(layer, dy)};
}

// The same after a step of training with another x.
std::pair<Matrix, Matrix> call_second(const Matrix& before, const Matrix& x, const Matrix& dy, double p,
                                      const std::string& mode, long seed) {
    Dropout layer = made(p, "training", seed);
    forward(layer, before);
    layer.training = mode == "training";
    const Matrix y = forward(layer, x);
    return {y, backward(layer, dy)};
}

const kit::Function forward_("forward", call_forward), steps_("steps", call_steps),
    interrupted_("interrupted", call_interrupted), backward_("backward", call_backward), second_("second", call_second);

}  // namespace
