#pragma once
/// @file
/// The matrix product: tiles on the CPU (kernels/product.hpp), plain loops on `sim`, cuBLAS on CUDA.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// A row-major matrix in memory, possibly to be read transposed.
struct MatrixView {
    const Real* data;         ///< first element
    Index stride;             ///< distance between rows in memory
    bool transposed = false;  ///< whether it is read as its transpose
};

/// A matrix that is added to a product, possibly the result itself, or one row for all (a bias).
struct Addend {
    const Real* data = nullptr;  ///< first element; null adds nothing
    Index stride = 0;            ///< distance between rows; 0 repeats the first
};

/// c = a b + plus with a (m, k), b (k, n), plus and c (m, n) as read. `c` is read only if `plus` is c itself.
///
/// On the CPU the product is divided into tiles by its shape alone, so that the bits do not depend on the number of
/// threads. If k is 0, c = plus.
/// @param c_stride  distance between rows of c
/// @throws Error when an extent or a stride does not fit into 31 bits, as cuBLAS requires
void gemm(Device device, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index c_stride,
          Addend plus = {});

/// Batched matrix product: one product for every index of `axes`; the matrices' strides along each axis are given.
struct ProductBatch {
    Shape axes;   ///< the batch's axes
    PerAxis a{};  ///< strides between the matrices of a ...
    PerAxis b{};  ///< ... of b ...
    PerAxis c{};  ///< ... and of c
};

/// The products of all matrices of a batch, in one call if the device has one; nothing is added.
void gemm(Device device, const ProductBatch& batch, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c,
          Index c_stride);

namespace detail {
/// gemm() without counting in base/flops.hpp: for parts of work that has been counted as a whole.
void multiply(Device device, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index c_stride,
              Addend plus = {});
void multiply(Device device, const ProductBatch& batch, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c,
              Index c_stride);
}  // namespace detail

/// How a GPU multiplies 32-bit numbers.
enum class ProductPrecision {
    ieee,  ///< In full precision: a product with the identity changes nothing.
    tf32,  ///< Factors rounded to 10 mantissa bits, in tensor cores.
    bf16,  ///< Factors rounded to 7 mantissa bits, in tensor cores.
};

/// `ieee`, `tf32` or `bf16`.
std::string_view name(ProductPrecision precision);

/// The precision with this name. @throws Error for any other word
ProductPrecision product_precision_named(std::string_view word);

/// Sets the precision of all later products; the default is `ieee`.
/// @param device  where the products run   @throws Error for values other than `ieee` unless it is cuda with Real
/// float
void set_product_precision(Device device, ProductPrecision precision);

/// The selected precision.
ProductPrecision product_precision();

}  // namespace RECTO
