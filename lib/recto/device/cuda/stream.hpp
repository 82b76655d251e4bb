#pragma once
/// @file
/// The stream of all GPU work. Only files compiled with RECTO_CUDA include this.
#include <cuda_runtime_api.h>

#include <recto/base/config.hpp>

namespace RECTO::cuda {

/// The stream that all kernels, copies and products use, so that each sees the results of all before it.
cudaStream_t stream();

}  // namespace RECTO::cuda
