#pragma once
/// @file
/// The seam to the CUDA runtime. Only files compiled with RECTO_CUDA include this.
#include <cstddef>
#include <string_view>

#include <recto/core/config.hpp>

/// Memory and errors of the GPU.
namespace RECTO::cuda {

/// Why no GPU can be used here, or an empty text when one can.
std::string_view missing();

/// Device memory from the driver's stream-ordered pool, which keeps freed blocks; null when there is none left.
void* allocate(std::size_t bytes);

/// Gives it back to the pool; never throws.
void release(void* address, std::size_t bytes);

/// Copies between host and device or within the device.
void copy(void* to, bool to_device, const void* from, bool from_device, std::size_t bytes);

/// Fills device memory with one byte.
void fill(void* address, int byte, std::size_t bytes);

/// Turns the last CUDA error, if any, into an Error that names `what`.
void raise_if_failed(const char* what);

}  // namespace RECTO::cuda
