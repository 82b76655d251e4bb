#include <recto/nn/fixup.hpp>

#include <cmath>

#include <recto/nn/init.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>

namespace RECTO::nn {

FixupBlock::FixupBlock(Index width, Index blocks, Generator& random, Device device)
    : first(width, width, random, {.bias = false, .weights = he_init, .device = device}),
      second(width, width, random, {.bias = false, .weights = zeros_init, .device = device}),
      scale(ones({1}, device).requires_grad_()) {
    check(blocks >= 1, "FixupBlock: wanted a network of at least one block, got {}", blocks);
    // L^(-1 / (2m - 2)) for m = 2 layers in a branch
    first.weight.copy_(first.weight.detach() * (1 / std::sqrt(double(blocks))));
    for (int k = 0; k < 5; ++k) biases.push_back(zeros({1}, device).requires_grad_());
}

Tensor FixupBlock::branch(const Tensor& x) const {
    const Tensor middle = relu(first(relu(x + biases[0]) + biases[1]) + biases[2]);
    return second(middle + biases[3]) * scale + biases[4];
}

Tensor FixupBlock::operator()(const Tensor& x) const { return x + branch(x); }

}  // namespace RECTO::nn
