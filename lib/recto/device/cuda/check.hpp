#pragma once
/// @file
/// CUDA's error codes as messages. Only files compiled with RECTO_CUDA include this.
#include <cuda_runtime_api.h>

#include <recto/base/check.hpp>

namespace RECTO::cuda {

/// Throws unless a call of the CUDA runtime succeeded.
/// @param what  the caller, for the message
inline void check(cudaError_t code, const char* what) {
    recto::check(code == cudaSuccess, "{}: CUDA says: {}", what, cudaGetErrorString(code));
}

}  // namespace RECTO::cuda
