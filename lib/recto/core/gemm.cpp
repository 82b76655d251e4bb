#include <recto/core/gemm.hpp>

#include <algorithm>

#include <recto/core/launch.hpp>
#include <recto/core/product.hpp>
#ifdef RECTO_CUDA
#include <recto/cuda/gemm.hpp>
#endif

namespace RECTO {
namespace {

/// The definition, one element of c at a time: what `sim` runs and what the others must equal.
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

}  // namespace

void gemm(Device device, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index stride, Addend plus) {
    if (m == 0 || n == 0) return;
    constexpr Index most = 2147483647;  // cuBLAS counts in int
    check(std::max({m, n, k, a.stride, b.stride, stride}) <= most, "gemm: wanted extents below 2^31, got {} x {} x {}",
          m, n, k);
    if (device == Device::cpu && k > 0) return cpu::product(m, n, k, a, b, c, stride, plus);
    if (device == Device::cuda && k > 0) {
        // cuBLAS can only add what already stands in c.
        if (plus.data && plus.data != c) each(device, m * n, Product{a, b, c, plus, n, 0, stride});
#ifdef RECTO_CUDA
        return cuda_gemm::gemm(m, n, k, a, b, c, stride, plus.data != nullptr);
#endif
    }
    each(device, m * n, Product{a, b, c, plus, n, k, stride});
}

}  // namespace RECTO
