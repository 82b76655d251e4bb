#include <recto/core/gemm.hpp>

#include <cblas.h>

#include <algorithm>

#include <recto/core/launch.hpp>
#ifdef RECTO_CUDA
#include <recto/cuda/gemm.hpp>
#endif

namespace RECTO {
namespace {

[[maybe_unused]] void blas(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
          float* c, int ldc) {
    cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, lda, b, ldb, 0, c, ldc);
}
[[maybe_unused]] void blas(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const double* a, int lda, const double* b, int ldb,
          double* c, int ldc) {
    cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, lda, b, ldb, 0, c, ldc);
}

/// The definition, one element of c at a time: what `sim` runs and what the others must equal.
struct Product {
    MatrixView a, b;
    Real* c;
    Index n, k, stride;
    RECTO_HD void operator()(Index at) const {
        const Index i = at / n, j = at % n;
        const Index a_row = a.transposed ? 1 : a.stride, a_col = a.transposed ? a.stride : 1;
        const Index b_row = b.transposed ? 1 : b.stride, b_col = b.transposed ? b.stride : 1;
        Real total = 0;
        for (Index p = 0; p < k; ++p) total = fma(a.data[i * a_row + p * a_col], b.data[p * b_row + j * b_col], total);
        c[i * stride + j] = total;
    }
};

/// Tiles small enough that two cores have something to do, large enough that BLAS is worth calling.
Index tile_edge(Index m, Index n) {
    for (const Index edge : {512, 256, 128})
        if ((m + edge - 1) / edge * ((n + edge - 1) / edge) >= 4) return edge;
    return 64;
}

void on_cpu(Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index stride) {
    const Index edge = tile_edge(m, n), across = (n + edge - 1) / edge, tiles = (m + edge - 1) / edge * across;
    const auto ta = a.transposed ? CblasTrans : CblasNoTrans, tb = b.transposed ? CblasTrans : CblasNoTrans;
    const auto tile = [&](Index i, Index j, Index rows, Index cols) {
        blas(ta, tb, int(rows), int(cols), int(k), a.data + i * (a.transposed ? 1 : a.stride), int(a.stride),
             b.data + j * (b.transposed ? b.stride : 1), int(b.stride), c + i * stride + j, int(stride));
    };
    if (m * n * k < 64 * 64 * 64) return tile(0, 0, m, n);
    parallel(tiles, 1, [&](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) {
            const Index i = t / across * edge, j = t % across * edge;
            tile(i, j, std::min(edge, m - i), std::min(edge, n - j));
        }
    });
}

}  // namespace

void gemm(Device device, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index stride) {
    if (m == 0 || n == 0) return;
    constexpr Index most = 2147483647;  // BLAS counts in int
    check(std::max({m, n, k, a.stride, b.stride, stride}) <= most, "gemm: wanted extents below 2^31, got {} x {} x {}", m,
          n, k);
#ifdef RECTO_CUDA
    if (device == Device::cuda && k > 0) return cuda_gemm::gemm(m, n, k, a, b, c, stride);
#endif
    if (device == Device::cpu && k > 0) return on_cpu(m, n, k, a, b, c, stride);
    each(device, m * n, Product{a, b, c, n, k, stride});
}

const char* blas_description() { return openblas_get_config(); }

}  // namespace RECTO
