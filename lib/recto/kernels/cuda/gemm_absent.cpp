// The matrix product on the GPU in a build without CUDA: always an Error.
#include <recto/kernels/cuda/gemm.hpp>

namespace RECTO::cuda_gemm {

void gemm(Index, Index, Index, MatrixView, MatrixView, Real*, Index, bool) { require(Device::cuda); }
void gemm(const ProductBatch&, Index, Index, Index, MatrixView, MatrixView, Real*, Index) { require(Device::cuda); }

}  // namespace RECTO::cuda_gemm
