#include <recto/nn/attention.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

/// Splits columns into heads: (batch, time, width) as (batch, heads, time, width / heads).
Tensor split(const Tensor& x, Index heads) {
    return transpose(reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), 1, 2);
}
/// The inverse: from (batch, heads, time, width / heads) to (batch, time, width).
Tensor join(const Tensor& y) { return reshape(transpose(y, 1, 2), {y.size(0), y.size(2), y.size(1) * y.size(3)}); }

/// Rows [begin, end) of weights or biases.
Tensor rows_of(const Tensor& x, Index begin, Index end) { return x.defined() ? slice(x, 0, begin, end) : x; }

Tensor zero_bias(Tensor bias) { return bias.defined() ? zeros(bias.shape(), bias.device()).requires_grad_() : bias; }

}  // namespace

MultiHeadAttention::MultiHeadAttention(Index width, Index heads, Generator& random, LinearOptions options)
    : heads(heads), out_proj(width, width, random, options) {
    check(heads >= 1 && width % heads == 0, "MultiHeadAttention: wanted heads that divide width {}, got {}", width,
          heads);
    const Linear in(width, checked_product(3, width, "MultiHeadAttention"), random, options);
    in_proj_weight = in.weight, in_proj_bias = zero_bias(in.bias);
    out_proj.bias = zero_bias(out_proj.bias);
}

Tensor MultiHeadAttention::operator()(const Tensor& x, const AttentionOptions& options) const {
    return out_proj(self_attention(linear(x, in_proj_weight, in_proj_bias), heads, options));
}

Tensor MultiHeadAttention::operator()(const Tensor& x, const Tensor& memory, const AttentionOptions& options) const {
    check(x.dim() == 3 && memory.dim() == 3,
          "MultiHeadAttention: wanted (batch, time, width) twice, got shapes {} and {}", x.shape(), memory.shape());
    const Index width = out_proj.weight.size(0);
    const auto project = [&](const Tensor& from, Index part) {
        return split(linear(from, rows_of(in_proj_weight, part * width, (part + 1) * width),
                            rows_of(in_proj_bias, part * width, (part + 1) * width)),
                     heads);
    };
    return out_proj(join(attention(project(x, 0), project(memory, 1), project(memory, 2), options)));
}

Tensor MultiHeadAttention::operator()(const Tensor& x, KeyValueCache& cache) const {
    const NoGrad guard;
    const Index width = out_proj.weight.size(0);
    check(x.dim() == 3 && x.size(0) == cache.keys.size(0) && x.size(2) == width && cache.keys.size(2) == width,
          "MultiHeadAttention: a cache of shape {} wants words of ({}, time, {}), got shape {}", cache.keys.shape(),
          cache.keys.size(0), width, x.shape());
    const Index time = x.size(1), end = cache.length + time, capacity = cache.keys.size(1);
    check(end <= capacity, "MultiHeadAttention: the cache holds {} words, wanted {} more than the {} in it", capacity,
          time, cache.length);
    const Tensor qkv = linear(x, in_proj_weight, in_proj_bias);
    slice(cache.keys, 1, cache.length, end).copy_(slice(qkv, 2, width, 2 * width));
    slice(cache.values, 1, cache.length, end).copy_(slice(qkv, 2, 2 * width, 3 * width));
    const Index batch = x.size(0), d = width / heads;
    const auto heads_of = [&](const Tensor& from, Index n, Index stride) {  // views, read in place
        return from.view({batch, heads, n, d}, {from.strides()[0], d, stride, 1}, 0);
    };
    const Tensor y = attention(heads_of(qkv, time, 3 * width), heads_of(cache.keys, end, width),
                               heads_of(cache.values, end, width), {.causal = true, .first = cache.length});
    cache.length = end;
    return out_proj(join(y));
}

KeyValueCache MultiHeadAttention::cache(Index batch, Index capacity) const {
    const Tensor& w = out_proj.weight;
    return {zeros({batch, capacity, w.size(0)}, w.device()), zeros({batch, capacity, w.size(0)}, w.device())};
}

}  // namespace RECTO::nn
