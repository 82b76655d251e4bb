#pragma once
/// @file
/// A linear recurrence computed by a parallel scan, without a loop over time.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// Runs an affine recurrence along time, elementwise:
///
/// \f[ h_t = a_t h_{t-1} + b_t \f]
///
/// Two successive steps are again one such step, \f$ (a, b) \circ (a', b') = (a' a, a' b + b') \f$, which is
/// associative: if there are too few sequences to occupy all threads, long ones are divided into blocks that are
/// composed independently, then joined, then run (Blelloch, 1990). The division depends on the shape alone. (The price:
/// where the product of a block's coefficients overflows, later states overflow too, even if the recurrence itself
/// would not.)
/// Backward: \f$ g_t = dh_t + a_{t+1} g_{t+1} \f$, which is the same recurrence from the end; \f$ db_t = g_t \f$,
/// \f$ da_t = g_t h_{t-1} \f$ and \f$ dh_0 = a_1 g_1 \f$.
///
/// @param a   (..., time, channels)
/// @param b   the shape of `a`
/// @param h0  (..., channels): the state before the first step; if undefined, the first state is b
/// @return    the shape of `a`: the state after every step
/// @throws Error when shapes or devices do not fit
Tensor affine_scan(const Tensor& a, const Tensor& b, const Tensor& h0 = Tensor());

}  // namespace RECTO
