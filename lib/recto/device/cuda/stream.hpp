#pragma once
/// @file
/// The one order in which the GPU works. Only files compiled with RECTO_CUDA include this.
#include <cuda_runtime_api.h>

#include <recto/base/config.hpp>

namespace RECTO::cuda {

/// The stream that all kernels, copies and products use, so that each finds what the one before it left.
cudaStream_t stream();

}  // namespace RECTO::cuda
