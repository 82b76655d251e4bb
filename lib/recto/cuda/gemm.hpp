#pragma once
/// @file
/// The matrix product on the GPU.
#include <recto/core/gemm.hpp>

namespace RECTO::cuda_gemm {

/// c = a b, or c += a b with `add`, through cuBLAS in IEEE precision; arguments as in gemm().
void gemm(Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index c_stride, bool add);

}  // namespace RECTO::cuda_gemm
