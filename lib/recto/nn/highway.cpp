#include <recto/nn/highway.hpp>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>

namespace RECTO::nn {

Highway::Highway(Index width, Generator& random, HighwayOptions options)
    : change(width, width, random, {.weights = options.weights, .device = options.device}),
      gate(width, width, random, {.weights = options.weights, .device = options.device}),
      activation(options.activation) {
    gate.bias = full({width}, Real(options.gate_bias), options.device).requires_grad_();
}

Tensor Highway::keeps(const Tensor& x) const { return gate(x, sigmoid); }

Tensor Highway::operator()(const Tensor& x) const {
    const Tensor keep = keeps(x), fresh = change(x, activation);
    return keep * x + (1 - keep) * fresh;
}

}  // namespace RECTO::nn
