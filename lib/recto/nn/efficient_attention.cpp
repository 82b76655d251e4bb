#include <recto/nn/efficient_attention.hpp>

#include <limits>
#include <vector>

#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/sequences/attention.hpp>
#include <recto/ops/shapes/concat.hpp>
#include <recto/ops/shapes/pad.hpp>
#include <recto/ops/shapes/views.hpp>

namespace RECTO::nn {
namespace {

void check_shapes(const char* who, const Tensor& q, const Tensor& k, const Tensor& v) {
    check(q.dim() == 4 && q.shape() == k.shape() && v.dim() == 4 && v.size(0) == q.size(0) && v.size(1) == q.size(1) &&
              v.size(2) == q.size(2),
          "{}: wanted q, k and v of shape (batch, heads, N, width), got {}, {} and {}", who, q.shape(), k.shape(),
          v.shape());
}

/// (batch, heads, N, width) to (batch heads, blocks, 3 window, width): each block beside its two neighbours.
Tensor with_neighbours(const Tensor& x, Index window) {
    const Index N = x.size(2), rows = x.size(0) * x.size(1);
    const Tensor padded = pad(x, {{window, window}, {0, 0}});
    std::vector<Tensor> parts;
    for (const Index shift : {Index(0), window, 2 * window})
        parts.push_back(reshape(slice(padded, 2, shift, shift + N), {rows, N / window, window, x.size(3)}));
    return concat(parts, 2);
}

/// (1, blocks, window, 3 window): 0 where a query of a block reads a key of the three blocks, else minus infinity.
Tensor window_mask(Index N, Index window) {
    const Index blocks = N / window, wide = 3 * window;
    std::vector<Real> allowed;
    const Real never = -std::numeric_limits<Real>::infinity();
    for (Index b = 0; b < blocks; ++b)
        for (Index i = 0; i < window; ++i)
            for (Index j = 0; j < wide; ++j) {
                const Index key = (b - 1) * window + j, distance = j - window - i;
                allowed.push_back(key >= 0 && key < N && distance < window && -distance < window ? 0 : never);
            }
    return Tensor({1, blocks, window, wide}, allowed);
}

}  // namespace

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index window) {
    check_shapes("window_attention", q, k, v);
    const Index N = q.size(2), rows = q.size(0) * q.size(1);
    check(window >= 1 && N % window == 0, "window_attention: wanted a window that divides {} positions, got {}", N,
          window);
    AttentionOptions options;
    options.mask = window_mask(N, window).to(q.device());
    const Tensor y = attention(reshape(q, {rows, N / window, window, q.size(3)}), with_neighbours(k, window),
                               with_neighbours(v, window), options);
    return reshape(y, {q.size(0), q.size(1), N, v.size(3)});
}

Tensor low_rank_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& for_keys,
                          const Tensor& for_values) {
    check_shapes("low_rank_attention", q, k, v);
    check(for_keys.dim() == 2 && for_keys.shape() == for_values.shape() && for_keys.size(1) == q.size(2),
          "low_rank_attention: wanted two matrices of (r, {}), got shapes {} and {}", q.size(2), for_keys.shape(),
          for_values.shape());
    return attention(q, matmul(for_keys, k), matmul(for_values, v));
}

Tensor group_means(Index groups, Index positions, Device device) {
    check(groups >= 1 && positions % groups == 0, "group_means: wanted groups that divide {} positions, got {}",
          positions, groups);
    const Index each = positions / groups;
    std::vector<Real> weights(std::size_t(groups * positions), 0);
    for (Index i = 0; i < positions; ++i) weights[std::size_t(i / each * positions + i)] = Real(1) / Real(each);
    return Tensor({groups, positions}, weights).to(device);
}

Tensor kernel_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
    check_shapes("kernel_attention", q, k, v);
    const Tensor asked = elu(q) + 1, known = elu(k) + 1;
    const Tensor sums = matmul(transpose(known), v);             // features x width of the values
    const Tensor total = transpose(sum(known, {2}, Keep::yes));  // features x 1
    return matmul(asked, sums) / matmul(asked, total);
}

}  // namespace RECTO::nn
