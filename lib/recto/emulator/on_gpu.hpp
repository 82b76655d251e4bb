#pragma once
/// @file
/// The same launches on a real GPU, with CUDA's own functions.
#include <cstddef>
#include <string>
#include <utility>

/// @cond  Documented in the emulator's version.
namespace recto::kernels {

inline Settings& settings() {
    static Settings all;
    return all;
}

namespace detail {
inline void must(cudaError_t error, const char* what) {
    if (error != cudaSuccess) throw Mistake(Kind::launch, std::string(what) + ": " + cudaGetErrorString(error));
}
inline void* allocate(std::size_t bytes, std::size_t, const std::string&) {
    void* device = nullptr;
    if (bytes) must(cudaMalloc(&device, bytes), "Buffer");
    return device;
}
inline void release(void* device) noexcept { cudaFree(device); }
inline void* new_stream() {
    cudaStream_t stream{};
    must(cudaStreamCreate(&stream), "Stream");
    return stream;
}
inline void end_stream(void* stream) noexcept { cudaStreamDestroy(static_cast<cudaStream_t>(stream)); }
inline void synchronize(void* stream) {
    must(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "Stream::synchronize");
}
inline void to_device(void* device, const void* host, std::size_t bytes, void* stream) {
    must(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, static_cast<cudaStream_t>(stream)),
         "Buffer::set");
    if (!stream) synchronize(stream);
}
inline void to_host(void* host, const void* device, std::size_t bytes, void* stream) {
    must(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, static_cast<cudaStream_t>(stream)),
         "Buffer::values");
    if (!stream) synchronize(stream);
}
}  // namespace detail

template <class... P, class... A>
Counts launch(const Config& config, void (*kernel)(P...), A&&... arguments) {
    static_assert(sizeof...(P) == sizeof...(A), "launch: wanted one argument for each parameter of the kernel");
    const auto stream = static_cast<cudaStream_t>(config.stream ? config.stream->handle() : nullptr);
    kernel<<<config.grid, config.block, config.shared_bytes, stream>>>(
        detail::argument<P>(std::forward<A>(arguments))...);
    detail::must(cudaGetLastError(), "launch");
    if (!stream) detail::must(cudaDeviceSynchronize(), "launch");
    if (settings().after) settings().after(config, {});
    return {};
}

template <class T>
__device__ T* dynamic_shared() {
    extern __shared__ __align__(16) unsigned char recto_dynamic_shared[];
    return reinterpret_cast<T*>(recto_dynamic_shared);
}

}  // namespace recto::kernels
/// @endcond
