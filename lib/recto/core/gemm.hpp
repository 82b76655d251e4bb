#pragma once
/// @file
/// The matrix product: tiles on the CPU (core/product.hpp), plain loops on `sim`, cuBLAS on CUDA.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// A matrix in memory, row after row, possibly to be read transposed.
struct MatrixView {
    const Real* data;         ///< first element
    Index stride;             ///< distance between rows as they lie in memory
    bool transposed = false;  ///< read columns as rows?
};

/// What is added to a product: a matrix, which may be the one that is written, or one row for all (a bias).
struct Addend {
    const Real* data = nullptr;  ///< first element; nothing is added where it is null
    Index stride = 0;            ///< distance between rows; 0 repeats the first
};

/// c = a b + plus with a (m, k), b (k, n), plus and c (m, n) as read. `c` is never read, unless `plus` is c itself.
///
/// On the CPU the product is cut into tiles by its shape alone, so that the bits do not depend on the number of
/// threads. An empty k adds zeros.
/// @param c_stride  distance between rows of c
/// @throws Error where an extent or a stride does not fit into 31 bits, as cuBLAS wants
void gemm(Device device, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index c_stride,
          Addend plus = {});

}  // namespace RECTO
