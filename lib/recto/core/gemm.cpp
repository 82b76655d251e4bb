#include <recto/core/gemm.hpp>

#include <cblas.h>

#include <algorithm>

#include <recto/core/blas.hpp>
#include <recto/core/launch.hpp>
#ifdef RECTO_CUDA
#include <recto/cuda/gemm.hpp>
#endif

namespace RECTO {
namespace {

[[maybe_unused]] void blas(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const float* a, int lda,
                           const float* b, int ldb, float* c, int ldc) {
    cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, lda, b, ldb, 0, c, ldc);
}
[[maybe_unused]] void blas(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const double* a, int lda,
                           const double* b, int ldb, double* c, int ldc) {
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

/// How a product is cut: by its shape alone, so that the bits do not depend on the number of threads.
struct Tiles {
    Index rows, cols;  // of a tile
};

/// Tiles small enough that two cores have something to do, large enough that BLAS is worth calling, and all of
/// about one size: a narrow side is left whole, because every tile packs its operands anew.
Tiles tiles_of(Index m, Index n) {
    Index down = 1, across = 1;
    for (const Index edge : {512, 256, 128, 64}) {
        down = std::max<Index>(1, m / edge), across = std::max<Index>(1, n / edge);
        if (down * across >= 4) break;
    }
    return {(m + 8 * down - 1) / (8 * down) * 8, (n + 16 * across - 1) / (16 * across) * 16};
}

/// Adds the parts of a sum over groups of k, in their order.
struct SumGroups {
    const Real* parts;
    Real* c;
    Index m, n, stride, groups;
    RECTO_HD void operator()(Index at) const {
        Real total = parts[at];
        for (Index g = 1; g < groups; ++g) total += parts[g * m * n + at];
        c[at / n * stride + at % n] = total;
    }
};

void on_cpu(Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index stride) {
    use_blas_on_one_thread();
    const auto ta = a.transposed ? CblasTrans : CblasNoTrans, tb = b.transposed ? CblasTrans : CblasNoTrans;
    const auto tile = [&](Index i, Index j, Index p, Index rows, Index cols, Index depth, Real* to, Index to_stride) {
        const Real* from_a = a.data + (a.transposed ? p * a.stride + i : i * a.stride + p);
        const Real* from_b = b.data + (b.transposed ? j * b.stride + p : p * b.stride + j);
        blas(ta, tb, int(rows), int(cols), int(depth), from_a, int(a.stride), from_b, int(b.stride), to,
             int(to_stride));
    };
    if (m * n * k < 64 * 64 * 64) return tile(0, 0, 0, m, n, k, c, stride);

    // Few sums of many terms, such as the gradient of weights over a whole data set: cutting the answer would
    // read the long operands in narrow columns, again and again. Each group of terms reads its part once.
    constexpr Index groups = 8;
    if (k >= 2048 && k >= 4 * (m + n) && m * n <= 1 << 17) {
        const Index depth = (k + groups - 1) / groups;
        Tensor parts = empty({groups, m, n});
        Real* to = parts.write();
        parallel(groups, 1, [&](Index begin, Index end) {
            for (Index g = begin; g < end; ++g)
                tile(0, 0, g * depth, m, n, std::min(depth, k - g * depth), to + g * m * n, n);
        });
        return each(Device::cpu, m * n, SumGroups{to, c, m, n, stride, groups});
    }

    const Tiles size = tiles_of(m, n);
    const Index across = (n + size.cols - 1) / size.cols, count = (m + size.rows - 1) / size.rows * across;
    parallel(count, 1, [&](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) {
            const Index i = t / across * size.rows, j = t % across * size.cols;
            tile(i, j, 0, std::min(size.rows, m - i), std::min(size.cols, n - j), k, c + i * stride + j, stride);
        }
    });
}

}  // namespace

void gemm(Device device, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index stride) {
    if (m == 0 || n == 0) return;
    constexpr Index most = 2147483647;  // BLAS counts in int
    check(std::max({m, n, k, a.stride, b.stride, stride}) <= most, "gemm: wanted extents below 2^31, got {} x {} x {}",
          m, n, k);
#ifdef RECTO_CUDA
    if (device == Device::cuda && k > 0) return cuda_gemm::gemm(m, n, k, a, b, c, stride);
#endif
    if (device == Device::cpu && k > 0) return on_cpu(m, n, k, a, b, c, stride);
    each(device, m * n, Product{a, b, c, n, k, stride});
}

}  // namespace RECTO
