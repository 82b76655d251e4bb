#include <cuda_runtime.h>

#include <cstdio>
#include <string>

#include <recto/core/check.hpp>
#include <recto/cuda/memory.hpp>

namespace RECTO::cuda {
namespace {

void check(cudaError_t code, const char* what) {
    if (code != cudaSuccess) throw Error(fmt::format("{}: CUDA says: {}", what, cudaGetErrorString(code)));
}

std::string find_device() {
    int count = 0;
    if (const cudaError_t code = cudaGetDeviceCount(&count); code != cudaSuccess)
        return std::string("there is no usable GPU: ") + cudaGetErrorString(code);
    if (count == 0) return "there is no GPU in this machine";
    cudaMemPool_t pool;
    if (cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess) {  // keep what is freed: asking the driver is slow
        std::uint64_t everything = ~std::uint64_t(0);
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything);
    }
    return "";
}

}  // namespace

std::string_view missing() {
    static const std::string reason = find_device();
    return reason;
}

void* allocate(std::size_t bytes) {
    if (!missing().empty()) throw Error("device cuda: " + std::string(missing()));
    void* address = nullptr;
    if (cudaMallocAsync(&address, bytes, nullptr) == cudaSuccess) return address;
    cudaGetLastError();  // out of memory is the caller's message to write
    return nullptr;
}

void release(void* address, std::size_t) { cudaFreeAsync(address, nullptr); }

void copy(void* to, bool to_device, const void* from, bool from_device, std::size_t bytes) {
    const cudaMemcpyKind kind = to_device && from_device ? cudaMemcpyDeviceToDevice
                                : to_device              ? cudaMemcpyHostToDevice
                                                         : cudaMemcpyDeviceToHost;
    check(cudaMemcpyAsync(to, from, bytes, kind, nullptr), "copy");
    if (kind == cudaMemcpyDeviceToHost) check(cudaStreamSynchronize(nullptr), "copy");
}

void fill(void* address, int byte, std::size_t bytes) { check(cudaMemsetAsync(address, byte, bytes, nullptr), "fill"); }

void raise_if_failed(const char* what) { check(cudaGetLastError(), what); }

}  // namespace RECTO::cuda
