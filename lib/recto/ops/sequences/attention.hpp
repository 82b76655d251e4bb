#pragma once
/// @file
/// Scaled dot-product attention.
#include <recto/core/integers.hpp>
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Options of attention(). A key that any of `causal`, `lengths` and `mask` forbids has probability 0.
struct AttentionOptions {
    bool causal = false;    ///< query i sees keys 0 to first + i
    Index first = 0;        ///< number of keys before the first query, for causal queries after cached keys
    Integers lengths = {};  ///< (batch): later keys are padding and ignored
    Tensor mask = {};       ///< added to the scores, broadcast to (batch, heads, queries, keys); -inf forbids
    double scale = 0;       ///< factor of the scores; 0 for 1 / sqrt(d)
};

/// Scaled dot-product attention (Vaswani et al., 2017, eq. 1): every query returns the mean of the values, weighted by
/// how well their keys match it.
///
/// \f[ y_i = \sum_j p_{ij} v_j, \qquad p_{i\cdot} = \mathrm{softmax}_j\left(\tfrac{1}{\sqrt d}\, q_i \cdot k_j + m_{ij}\right) \f]
///
/// A query that sees no key returns 0, and its gradients are 0. Only q, k and v are kept for the backward pass, which
/// recomputes the probabilities. On cpu both passes compute them for 64 queries of one head at a time, so that the
/// whole matrix of queries by keys never exists. On sim and cuda it exists during a pass, for all heads of all samples
/// at once: batch * heads * queries * keys numbers, and twice as many in the backward pass. Backward: \f$ dv_j = \sum_i
/// p_{ij} dy_i \f$; with \f$ ds_{ij} = p_{ij} (dy_i \cdot v_j - \sum_k p_{ik}\, dy_i \cdot v_k) \f$, \f$ dq_i = \sum_j
/// ds_{ij} k_j / \sqrt d \f$, \f$ dk_j = \sum_i ds_{ij} q_i / \sqrt d \f$, and \f$ dm = ds \f$, summed where the mask
/// was broadcast; a mask that requires a gradient makes cpu store the whole matrix too.
///
/// @param q  (batch, heads, queries, d)
/// @param k  (batch, heads, keys, d); like q and v, views of heads within rows are read in place
/// @param v  (batch, heads, keys, any width)
/// @return   (batch, heads, queries, width of v)
/// @throws Error when shapes or devices do not fit, a length is not from 0 to keys
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options = {});

/// Self-attention for queries, keys and values in adjacent columns, as one matrix product computes them: columns 0 to
/// width - 1 of `qkv` are the queries of all heads, one head after the other, then come the keys, then the values.
/// @param qkv  (batch, time, 3 width), width divisible by `heads`
/// @return     (batch, time, width)
/// @throws Error as attention()
Tensor self_attention(const Tensor& qkv, Index heads, const AttentionOptions& options = {});

/// The mask that forbids where `allowed` is 0: -inf there, 0 elsewhere.
/// @param allowed  any shape
Tensor attention_mask(const Integers& allowed);

}  // namespace RECTO
