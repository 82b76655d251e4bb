#include <recto/nn/attention_weights.hpp>

#include <vector>

#include <recto/autograd/tape.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {

Tensor attention_weights(const MultiHeadAttention& layer, const Tensor& x, const Tensor& memory,
                         const AttentionOptions& options) {
    const Index width = layer.out_proj.weight.size(0), heads = layer.heads, d = width / heads;
    check(x.dim() == 3 && memory.dim() == 3 && x.size(0) == memory.size(0) && x.size(2) == width &&
              memory.size(2) == width,
          "attention_weights: wanted (batch, time, {}) twice, got shapes {} and {}", width, x.shape(), memory.shape());
    const NoGrad only_looking;
    const auto project = [&](const Tensor& from, Index part) {
        const Index begin = part * width, end = begin + width;
        const Tensor bias =
            layer.in_proj_bias.defined() ? slice(layer.in_proj_bias, 0, begin, end) : layer.in_proj_bias;
        const Tensor rows = linear(from, slice(layer.in_proj_weight, 0, begin, end), bias);
        return transpose(reshape(rows, {from.size(0), from.size(1), heads, d}), 1, 2);
    };
    const Index keys = memory.size(1);
    std::vector<Real> ones(std::size_t(keys * keys), 0);
    for (Index i = 0; i < keys; ++i) ones[std::size_t(i * keys + i)] = 1;
    const Tensor one_hot = Tensor({1, 1, keys, keys}, ones).to(x.device());
    return attention(project(x, 0), project(memory, 1), expand(one_hot, {x.size(0), heads, keys, keys}), options);
}

}  // namespace RECTO::nn
