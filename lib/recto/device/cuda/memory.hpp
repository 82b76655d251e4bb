#pragma once
/// @file
/// The interface to the CUDA runtime. A build without CUDA has absent.cpp instead, where missing() says so.
#include <cstddef>
#include <string_view>

#include <recto/device/fault.hpp>

/// Memory, copies and errors of the GPU.
namespace RECTO::cuda {

/// Why no GPU is usable here; empty if a GPU is usable.
std::string_view missing();

/// Allocates device memory from the driver, which is slow (device/block_cache.hpp caches freed blocks); null when out
/// of memory.
void* allocate(std::size_t bytes);

/// Returns device memory to the driver after the GPU has finished its work.
void release(void* address);

/// Bytes of device memory still available.
std::size_t left();

/// Copies to the host after all work of the GPU, and leaves the errors that kernels reported where they are.
void read(void* to, const void* from, std::size_t bytes);

/// Copies between host and device or within the device. Only a copy to the host waits for the GPU, and then throws the
/// errors that kernels reported.
void copy(void* to, bool to_device, const void* from, bool from_device, std::size_t bytes);

/// Fills device memory with one byte.
void fill(void* address, int byte, std::size_t bytes);

/// Waits until the GPU has finished its work, and throws the errors that kernels reported.
void synchronize();

/// Where kernels report errors: host memory that the GPU can write to.
Fault* fault();

/// Turns the last CUDA error, if any, into an Error that names `what`.
void raise_if_failed(const char* what);

}  // namespace RECTO::cuda
