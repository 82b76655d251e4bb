#pragma once
/// @file
/// The matrix product: OpenBLAS on the CPU, plain loops on `sim`, cuBLAS on CUDA. Nothing else calls them.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// A matrix in memory, row after row, possibly to be read transposed.
struct MatrixView {
    const Real* data;         ///< first element
    Index stride;             ///< distance between rows as they lie in memory
    bool transposed = false;  ///< read columns as rows?
};

/// c = a b with a (m, k), b (k, n) and c (m, n) as read; `c` is overwritten, never read.
///
/// On the CPU the product is cut into tiles by its shape alone, each one serial BLAS call, so that the bits
/// do not depend on the number of threads. An empty k gives zeros.
/// @param c_stride  distance between rows of c
void gemm(Device device, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index c_stride);

}  // namespace RECTO
