#pragma once
/// @file
/// Three forms of attention whose cost grows in proportion to the length of the sequence: a window, a low rank, and a
/// product of features. All are made of other operations, so that they run on every device and have gradients.
#include <recto/core/tensor.hpp>

namespace RECTO::nn {

/// Attention in a window, as in the Longformer (Beltagy et al., 2020): query i sees the keys at distances below `window`
/// on both sides, up to 2 window - 1 of them. The sequence is cut into blocks of `window` positions, and the queries of a
/// block meet the keys of their own block and of its two neighbours. With a window of N it is attention().
/// @param q, k, v  (batch, heads, N, any width), widths of q and k equal
/// @param window   divides N
/// @return         (batch, heads, N, width of v)
/// @throws Error when shapes do not fit, or the window does not divide N
Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index window);

/// Attention of low rank, as in the Linformer (Wang et al., 2020): two matrices combine the N keys and the N values to
/// r rows each, and the queries attend to these. It has no causal form: each row mixes keys of all positions.
/// @param q, k, v     (batch, heads, N, any width), widths of q and k equal
/// @param for_keys    (r, N)
/// @param for_values  (r, N)
/// @return            (batch, heads, N, width of v)
/// @throws Error when shapes do not fit
Tensor low_rank_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& for_keys,
                          const Tensor& for_values);

/// The (r, N) matrix that replaces N rows by the means of r groups of neighbours, the start for low_rank_attention().
/// @throws Error unless r is at least 1 and divides N
Tensor group_means(Index groups, Index positions, Device device = Device::cpu);

/// Linear attention (Katharopoulos et al., 2020): the features elu(x) + 1 take the place of the exponential, and their
/// products with the values are summed once for all queries. It has no causal form: the sum runs over all keys.
/// @param q, k, v  (batch, heads, N, any width), widths of q and k equal
/// @return         (batch, heads, N, width of v)
/// @throws Error when shapes do not fit
Tensor kernel_attention(const Tensor& q, const Tensor& k, const Tensor& v);

}  // namespace RECTO::nn
