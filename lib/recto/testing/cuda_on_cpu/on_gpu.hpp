#pragma once
/// @file
/// The same launches on a real GPU, in nvcc's words.

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
inline void to_device(void* device, const void* host, std::size_t bytes) {
    must(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "Buffer::set");
}
inline void to_host(void* host, const void* device, std::size_t bytes) {
    must(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "Buffer::values");
}
}  // namespace detail

template <class... P, class... A>
Counts launch(const Config& config, void (*kernel)(P...), A&&... arguments) {
    static_assert(sizeof...(P) == sizeof...(A), "launch: wanted one argument for each parameter of the kernel");
    kernel<<<config.grid, config.block, config.shared_bytes>>>(detail::argument<P>(std::forward<A>(arguments))...);
    detail::must(cudaGetLastError(), "launch");
    detail::must(cudaDeviceSynchronize(), "launch");
    return {};
}

template <class T>
__device__ T* dynamic_shared() {
    extern __shared__ __align__(16) unsigned char recto_dynamic_shared[];
    return reinterpret_cast<T*>(recto_dynamic_shared);
}

}  // namespace recto::kernels
