#include <cublas_v2.h>

#include <optional>

#include <recto/device/cuda/memory.hpp>
#include <recto/device/cuda/stream.hpp>
#include <recto/device/launch.hpp>
#include <recto/kernels/cuda/gemm.hpp>

namespace RECTO::cuda_gemm {
namespace {

void check_blas(cublasStatus_t status) {
    check(status == CUBLAS_STATUS_SUCCESS, "gemm: cuBLAS says: {}", cublasGetStatusString(status));
}

/// Uses the stream of all work, and its own workspace from the start: during a captured step it could not allocate one.
cublasHandle_t handle() {
    static const cublasHandle_t made = [] {
        constexpr std::size_t workspace = std::size_t(32) << 20;  // cuBLAS's recommendation for the largest GPUs
        cublasHandle_t h = nullptr;
        check_blas(cublasCreate(&h));
        check_blas(cublasSetStream(h, cuda::stream()));
        void* const memory = cuda::allocate(workspace);
        check(memory != nullptr, "gemm: wanted {} bytes for cuBLAS, got none", workspace);
        check_blas(cublasSetWorkspace(h, memory, workspace));
        return h;
    }();
    return made;
}

constexpr cudaDataType_t number = sizeof(Real) == 8 ? CUDA_R_64F : CUDA_R_32F;

/// By default cuBLAS computes in at least the precision of the numbers.
cublasComputeType_t arithmetic() {
    if (sizeof(Real) == 8) return CUBLAS_COMPUTE_64F;
    switch (product_precision()) {
        case ProductPrecision::tf32:
            return CUBLAS_COMPUTE_32F_FAST_TF32;
        case ProductPrecision::bf16:
            return CUBLAS_COMPUTE_32F_FAST_16BF;
        case ProductPrecision::ieee:
            break;
    }
    return CUBLAS_COMPUTE_32F;
}

cublasOperation_t turned(const MatrixView& x) { return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

/// The distance between matrices, if it is the same for all.
std::optional<Index> even(const Shape& axes, const PerAxis& steps) {
    std::optional<Index> step;
    Index inside = 1;  // matrices in the inner axes
    for (int axis = axes.dim() - 1; axis >= 0; --axis) {
        if (axes[axis] == 1) continue;
        const Index here = steps[std::size_t(axis)];
        if (!step) step = here;
        if (here != *step * inside) return {};
        inside *= axes[axis];
    }
    return step.value_or(0);
}

/// The addresses of matrix i.
struct Address {
    Shape axes;
    PerAxis steps;
    const Real* first;
    const void** to;
    RECTO_HD void operator()(Index i) const {
        Index at = 0, rest = i;
        for (int axis = axes.dim() - 1; axis >= 0; --axis) {
            at += rest % axes[axis] * steps[axis];
            rest /= axes[axis];
        }
        to[i] = first + at;
    }
};

}  // namespace

// cuBLAS is column-major; a row-major c is the column-major transpose, so the factors change places.
void gemm(Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index c_stride, bool add) {
    const Real one = 1, beta = add ? 1 : 0;
    check_blas(cublasGemmEx(handle(), turned(b), turned(a), int(n), int(m), int(k), &one, b.data, number, int(b.stride),
                            a.data, number, int(a.stride), &beta, c, number, int(c_stride), arithmetic(),
                            CUBLAS_GEMM_DEFAULT));
}

void gemm(const ProductBatch& batch, Index m, Index n, Index k, MatrixView a, MatrixView b, Real* c, Index c_stride) {
    const Real one = 1, zero = 0;
    const Index count = batch.axes.numel();
    const auto step_a = even(batch.axes, batch.a), step_b = even(batch.axes, batch.b),
               step_c = even(batch.axes, batch.c);
    if (step_a && step_b && step_c)
        return check_blas(cublasGemmStridedBatchedEx(handle(), turned(b), turned(a), int(n), int(m), int(k), &one,
                                                     b.data, number, int(b.stride), *step_b, a.data, number,
                                                     int(a.stride), *step_a, &zero, c, number, int(c_stride), *step_c,
                                                     int(count), arithmetic(), CUBLAS_GEMM_DEFAULT));
    const Storage addresses(std::size_t(3 * count) * sizeof(void*), Device::cuda);
    const auto of_a = static_cast<const void**>(addresses.data()), of_b = of_a + count, of_c = of_b + count;
    each(Device::cuda, count, Address{batch.axes, batch.a, a.data, of_a});
    each(Device::cuda, count, Address{batch.axes, batch.b, b.data, of_b});
    each(Device::cuda, count, Address{batch.axes, batch.c, c, of_c});
    check_blas(cublasGemmBatchedEx(handle(), turned(b), turned(a), int(n), int(m), int(k), &one, of_b, number,
                                   int(b.stride), of_a, number, int(a.stride), &zero, const_cast<void**>(of_c), number,
                                   int(c_stride), int(count), arithmetic(), CUBLAS_GEMM_DEFAULT));
}

}  // namespace RECTO::cuda_gemm
