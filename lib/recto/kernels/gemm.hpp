#pragma once
/// @file
/// The matrix product: tiles on the CPU (kernels/product.hpp), plain loops on `sim`, cuBLAS on CUDA.
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

/// Batched matrix product: one product for every index of `axes`; the matrices' strides along each axis are given.
struct ProductBatch {
    Shape axes;   ///< how many
    PerAxis a{};  ///< from matrix to matrix of a ...
    PerAxis b{};  ///< ... of b ...
    PerAxis c{};  ///< ... and of c
};

/// The same for every matrix of a batch, in one call where the device has one; nothing is added.
void gemm(Device device, const ProductBatch& batch, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c,
          Index c_stride);

namespace detail {
/// gemm() as it works, not counted in base/flops.hpp: for parts of what has been counted as a whole.
void multiply(Device device, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index c_stride,
              Addend plus = {});
void multiply(Device device, const ProductBatch& batch, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c,
              Index c_stride);
}  // namespace detail

/// How a GPU multiplies numbers of 32 bits.
enum class ProductPrecision {
    ieee,  ///< As they are: a product with the identity changes nothing.
    tf32,  ///< Factors rounded to 10 bits behind the point, in tensor cores.
    bf16,  ///< Factors rounded to 7 bits behind the point, in tensor cores.
};

/// `ieee`, `tf32` or `bf16`.
std::string_view name(ProductPrecision precision);

/// The precision of that name. @throws Error for any other word
ProductPrecision product_precision_named(std::string_view word);

/// Sets the precision of all products from now on; `ieee` unless said otherwise.
/// @param device  where they are to be made. @throws Error for any other than `ieee` unless it is cuda and Real is float
void set_product_precision(Device device, ProductPrecision precision);

/// What was set.
ProductPrecision product_precision();

}  // namespace RECTO
