#include <cublas_v2.h>

#include <recto/cuda/gemm.hpp>

namespace RECTO::cuda_gemm {
namespace {

void check_blas(cublasStatus_t status, const char* what) {
    check(status == CUBLAS_STATUS_SUCCESS, "{}: cuBLAS says: {}", what, cublasGetStatusString(status));
}

cublasHandle_t handle() {
    static cublasHandle_t made = [] {
        cublasHandle_t h = nullptr;
        check_blas(cublasCreate(&h), "gemm");
        check_blas(cublasSetMathMode(h, CUBLAS_PEDANTIC_MATH),
                   "gemm");  // no tf32: a product with the identity is exact
        return h;
    }();
    return made;
}

[[maybe_unused]] cublasStatus_t product(cublasOperation_t tb, cublasOperation_t ta, int n, int m, int k, const float* b,
                                        int ldb, const float* a, int lda, float* c, int ldc, float beta) {
    const float one = 1;
    return cublasSgemm(handle(), tb, ta, n, m, k, &one, b, ldb, a, lda, &beta, c, ldc);
}
[[maybe_unused]] cublasStatus_t product(cublasOperation_t tb, cublasOperation_t ta, int n, int m, int k,
                                        const double* b, int ldb, const double* a, int lda, double* c, int ldc,
                                        double beta) {
    const double one = 1;
    return cublasDgemm(handle(), tb, ta, n, m, k, &one, b, ldb, a, lda, &beta, c, ldc);
}

}  // namespace

// cuBLAS reads columns first; a row-major c is the column-major transpose, so the factors change places.
void gemm(Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index c_stride, bool add) {
    const auto op = [](const MatrixView& x) { return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    check_blas(product(op(b), op(a), int(n), int(m), int(k), b.data, int(b.stride), a.data, int(a.stride), c,
                       int(c_stride), add),
               "gemm");
}

}  // namespace RECTO::cuda_gemm
