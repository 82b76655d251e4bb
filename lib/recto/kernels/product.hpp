#pragma once
/// @file
/// The matrix product on the CPU.
#include <recto/kernels/gemm.hpp>

namespace RECTO::cpu {

/// Terms per partial sum. The partial sums are then added, which keeps rounding errors small.
inline constexpr Index product_piece = 256;

/// c = a b + plus; arguments as in gemm(), with extents of at least 1.
///
/// Every number of c is the sum of its products in the order of k, in pieces of `product_piece` terms with a fused
/// multiply-add each. So its bits depend neither on the number of threads, nor on how the work is divided, nor, if the
/// processor has that instruction, on the width of its vectors.
void product(Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index c_stride, Addend plus);

}  // namespace RECTO::cpu
