#pragma once
/// @file
/// The matrix product on the GPU. A build without CUDA has gemm_absent.cpp instead.
#include <recto/kernels/gemm.hpp>

namespace RECTO::cuda_gemm {

/// c = a b, or c += a b with `add`, through cuBLAS in the selected precision; arguments as in gemm().
void gemm(Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index c_stride, bool add);

/// Many products in one call.
void gemm(const ProductBatch& batch, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index c_stride);

}  // namespace RECTO::cuda_gemm
