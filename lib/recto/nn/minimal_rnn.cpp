#include <recto/nn/minimal_rnn.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {

MinimalRnn::MinimalRnn(Index in, Index hidden, Generator& random, MinimalRnnOptions options)
    : encode(in, hidden, random, {.device = options.device}),
      gate_input(hidden, hidden, random, {.device = options.device}),
      gate_state(Linear(hidden, hidden, random, {.bias = false, .device = options.device}).weight) {
    gate_input.bias = full({hidden}, Real(options.keep), options.device).requires_grad_();
}

Recurrent MinimalRnn::operator()(const Tensor& x, const Tensor& h) const {
    check(x.dim() == 3, "MinimalRnn: wanted (batch, time, in), got shape {}", x.shape());
    // Time first: the steps of a sequence are then contiguous. The products with all inputs need no state.
    const Tensor z = encode(transpose(x, 0, 1), tanh), from_z = gate_input(z);
    Tensor state = h.defined() ? h : zeros({x.size(0), gate_state.size(0)}, x.device());
    std::vector<Tensor> states;
    for (Index t = 0; t < x.size(1); ++t) {
        const Tensor keep = sigmoid(select(from_z, 0, t) + linear(state, gate_state));
        state = keep * state + (1 - keep) * select(z, 0, t);
        states.push_back(state);
    }
    return {stack(states, 1), state, Tensor()};
}

}  // namespace RECTO::nn
