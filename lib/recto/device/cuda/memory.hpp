#pragma once
/// @file
/// The seam to the CUDA runtime. A build without CUDA has absent.cpp instead, where missing() says so.
#include <cstddef>
#include <string_view>

#include <recto/device/fault.hpp>

/// Memory, copies and errors of the GPU.
namespace RECTO::cuda {

/// Why no GPU can be used here, or an empty text when one can.
std::string_view missing();

/// Asks the driver for device memory, which takes long (device/block_cache.hpp keeps what is freed); null when there is
/// none left.
void* allocate(std::size_t bytes);

/// Gives it back to the driver, when the GPU has done what it was asked.
void release(void* address);

/// How many bytes the driver could still give.
std::size_t left();

/// Copies between host and device or within the device. Only a copy to the host waits for the GPU, and then throws
/// what its kernels complained of.
void copy(void* to, bool to_device, const void* from, bool from_device, std::size_t bytes);

/// Fills device memory with one byte.
void fill(void* address, int byte, std::size_t bytes);

/// Waits until the GPU has done what it was asked, and throws what its kernels complained of.
void synchronize();

/// Where kernels complain: memory of the host that the GPU can write to.
Fault* fault();

/// Turns the last CUDA error, if any, into an Error that names `what`.
void raise_if_failed(const char* what);

}  // namespace RECTO::cuda
