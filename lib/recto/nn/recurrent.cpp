#include <recto/nn/recurrent.hpp>

#include <algorithm>
#include <cmath>

namespace RECTO::nn {
namespace {

RecurrentWeights draw(const char* who, Index gates, Index in, Index hidden, Generator& random,
                      RecurrentOptions options) {
    check(in >= 0 && hidden >= 0, "{}: wanted sizes of at least 0, got {} in and {} hidden", who, in, hidden);
    const Real bound = Real(1 / std::sqrt(double(std::max<Index>(hidden, 1))));
    const Index rows = checked_product(gates, hidden, who);
    const auto uniform = [&](const Shape& shape) {
        return random.uniform(shape, -bound, bound, options.device).requires_grad_();
    };
    RecurrentWeights w;
    w.weight_ih = uniform({rows, in}), w.weight_hh = uniform({rows, hidden});
    if (options.bias) w.bias_ih = uniform({rows}), w.bias_hh = uniform({rows});
    return w;
}

}  // namespace

Rnn::Rnn(Index in, Index hidden, Generator& random, RecurrentOptions options)
    : weights(draw("Rnn", 1, in, hidden, random, options)) {}
Lstm::Lstm(Index in, Index hidden, Generator& random, RecurrentOptions options)
    : weights(draw("Lstm", 4, in, hidden, random, options)) {}
Gru::Gru(Index in, Index hidden, Generator& random, RecurrentOptions options)
    : weights(draw("Gru", 3, in, hidden, random, options)) {}

}  // namespace RECTO::nn
