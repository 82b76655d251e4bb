#include <recto/kernels/gemm.hpp>

#include <algorithm>
#include <atomic>

#include <recto/base/flops.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/cuda/gemm.hpp>
#include <recto/kernels/product.hpp>

namespace RECTO {
namespace {

/// The definition, one element of c at a time: what `sim` runs, and what the others are tested against.
struct Product {
    MatrixView a, b;
    Real* c;
    Addend plus;
    Index n, k, stride;
    RECTO_HD void operator()(Index at) const {
        const Index i = at / n, j = at % n;
        const Index a_row = a.transposed ? 1 : a.stride, a_col = a.transposed ? a.stride : 1;
        const Index b_row = b.transposed ? 1 : b.stride, b_col = b.transposed ? b.stride : 1;
        Real total = 0;
        for (Index p = 0; p < k; ++p) total = fma(a.data[i * a_row + p * a_col], b.data[p * b_row + j * b_col], total);
        c[i * stride + j] = plus.data ? plus.data[i * plus.stride + j] + total : total;
    }
};

/// The first element of matrix `i` of a batch.
Index start(const Shape& axes, const PerAxis& steps, Index i) {
    Index at = 0;
    for (int axis = axes.dim() - 1; axis >= 0; --axis) {
        at += i % axes[axis] * steps[std::size_t(axis)];
        i /= axes[axis];
    }
    return at;
}

constexpr Index most = 2147483647;  // cuBLAS counts in int

void check_extents(Index m, Index n, Index k, const MatrixView& a, const MatrixView& b, Index stride) {
    check(std::max({m, n, k, a.stride, b.stride, stride}) <= most, "gemm: wanted extents below 2^31, got {} x {} x {}",
          m, n, k);
}

std::atomic<ProductPrecision> precision_now = ProductPrecision::ieee;

}  // namespace

void detail::multiply(Device device, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index stride,
                      Addend plus) {
    if (m == 0 || n == 0) return;
    check_extents(m, n, k, a, b, stride);
    if (device == Device::cpu && k > 0) return cpu::product(m, n, k, a, b, c, stride, plus);
    if (device == Device::cuda && k > 0) {
        // cuBLAS can only add to the numbers in c.
        if (plus.data && plus.data != c) each(device, m * n, Product{a, b, c, plus, n, 0, stride});
        return cuda_gemm::gemm(m, n, k, a, b, c, stride, plus.data != nullptr);
    }
    each(device, m * n, Product{a, b, c, plus, n, k, stride});
}

void detail::multiply(Device device, const ProductBatch& batch, Index m, Index n, Index k, MatrixView a, MatrixView b,
                      Real* c, Index stride) {
    const Index count = batch.axes.numel();
    if (m == 0 || n == 0 || count == 0) return;
    if (device == Device::cuda && k > 0 && count > 1) {
        check_extents(m, n, std::max(k, count), a, b, stride);
        return cuda_gemm::gemm(batch, m, n, k, a, b, c, stride);
    }
    const auto one = [&](Index i) {
        multiply(device, m, n, k, {a.data + start(batch.axes, batch.a, i), a.stride, a.transposed},
                 {b.data + start(batch.axes, batch.b, i), b.stride, b.transposed}, c + start(batch.axes, batch.c, i),
                 stride);
    };
    if (count == 1) return one(0);  // a single product may use all threads itself
    parallel(count, device == Device::cpu ? 1 : count, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) one(i);
    });
}

void gemm(Device device, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index stride, Addend plus) {
    detail::count_multiply_adds(m * n * k);
    detail::multiply(device, m, n, k, a, b, c, stride, plus);
}

void gemm(Device device, const ProductBatch& batch, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c,
          Index stride) {
    detail::count_multiply_adds(batch.axes.numel() * m * n * k);
    detail::multiply(device, batch, m, n, k, a, b, c, stride);
}

std::string_view name(ProductPrecision precision) {
    return precision == ProductPrecision::ieee ? "ieee" : precision == ProductPrecision::tf32 ? "tf32" : "bf16";
}
ProductPrecision product_precision_named(std::string_view word) {
    for (const auto precision : {ProductPrecision::ieee, ProductPrecision::tf32, ProductPrecision::bf16})
        if (word == name(precision)) return precision;
    refuse("matmul: wanted ieee, tf32 or bf16, got '{}'", fmt::make_format_args(word));
}

void set_product_precision(Device device, ProductPrecision precision) {
    const bool plain = precision == ProductPrecision::ieee;
    check(plain || device == Device::cuda, "matmul: wanted products in ieee on {}, got {}, which only cuda has", device,
          name(precision));
    check(plain || sizeof(Real) == sizeof(float), "matmul: wanted products of doubles in ieee, got {}",
          name(precision));
    precision_now = precision;
}
ProductPrecision product_precision() { return precision_now; }

}  // namespace RECTO
