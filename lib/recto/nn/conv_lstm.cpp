#include <recto/nn/conv_lstm.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {

ConvLstm::ConvLstm(Index in, Index hidden, Index kernel, Generator& random, ConvLstmOptions options)
    : gates(in + hidden, 4 * hidden, kernel, random, {.padding = kernel / 2, .device = options.device}) {
    check(kernel % 2 == 1, "ConvLstm: wanted an odd kernel, got {}", kernel);
    std::vector<Real> bias(std::size_t(4 * hidden), 0);
    for (Index i = hidden; i < 2 * hidden; ++i) bias[std::size_t(i)] = Real(options.forget);
    gates.bias = Tensor({4 * hidden}, bias, options.device).requires_grad_();
}

Index ConvLstm::hidden() const { return gates.weight.size(0) / 4; }

ConvLstmState ConvLstm::operator()(const Tensor& x, const ConvLstmState& before) const {
    const Index state = hidden(), in = gates.weight.size(1) - state;
    check(x.dim() == 4 && x.size(1) == in, "ConvLstm: wanted (batch, {}, height, width), got shape {}", in, x.shape());
    const Shape shape{x.size(0), state, x.size(2), x.size(3)};
    const Tensor h = before.h.defined() ? before.h : zeros(shape, x.device()),
                 c = before.c.defined() ? before.c : zeros(shape, x.device());
    check(h.shape() == shape && c.shape() == shape, "ConvLstm: wanted a state of shape {}, got {} and {}", shape,
          h.shape(), c.shape());
    const std::vector<Tensor> gate = split(gates(concat({x, h}, 1)), {state, state, state, state}, 1);
    const Tensor memory = sigmoid(gate[1]) * c + sigmoid(gate[0]) * tanh(gate[2]);
    return {sigmoid(gate[3]) * tanh(memory), memory};
}

}  // namespace RECTO::nn
