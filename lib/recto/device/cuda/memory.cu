#include <cuda_runtime.h>

#include <string>

#include <recto/device/cuda/check.hpp>
#include <recto/device/cuda/memory.hpp>
#include <recto/device/cuda/staging.hpp>
#include <recto/device/cuda/stream.hpp>

namespace RECTO::cuda {
namespace {

std::string find_device() {
    int count = 0;
    if (const cudaError_t code = cudaGetDeviceCount(&count); code != cudaSuccess)
        return std::string("there is no usable GPU: ") + cudaGetErrorString(code);
    return count == 0 ? "there is no GPU in this machine" : "";
}

/// The part of the CUDA runtime that Staging needs.
struct PinnedCopies {
    cudaEvent_t marks[staging_buffers] = {};

    static void* pin(std::size_t bytes) {
        void* buffer = nullptr;
        check(cudaMallocHost(&buffer, bytes), "copy");
        return buffer;
    }
    static void send(void* to, const void* buffer, std::size_t bytes) {
        check(cudaMemcpyAsync(to, buffer, bytes, cudaMemcpyHostToDevice, stream()), "copy");
    }
    void mark(std::size_t i) {
        if (!marks[i]) check(cudaEventCreateWithFlags(&marks[i], cudaEventDisableTiming), "copy");
        check(cudaEventRecord(marks[i], stream()), "copy");
    }
    void wait(std::size_t i) const { check(cudaEventSynchronize(marks[i]), "copy"); }
};

// Never destroyed: CUDA may shut down before the last static object is destroyed.
Staging<PinnedCopies>& staging() {
    static auto& instance = *new Staging<PinnedCopies>;
    return instance;
}

}  // namespace

std::string_view missing() {
    static const std::string reason = find_device();
    return reason;
}

cudaStream_t stream() {
    static const cudaStream_t made = [] {
        cudaStream_t s = nullptr;
        check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
        return s;
    }();
    return made;
}

void* allocate(std::size_t bytes) {
    void* address = nullptr;
    const cudaError_t code = cudaMalloc(&address, bytes);
    if (code == cudaSuccess) return address;
    cudaGetLastError();  // clears the error, which would otherwise be reported again
    if (code != cudaErrorMemoryAllocation) check(code, "Storage");
    return nullptr;
}

void release(void* address) {
    check(cudaStreamSynchronize(stream()), "Storage");
    check(cudaFree(address), "Storage");
}

std::size_t left() {
    std::size_t free = 0, all = 0;
    return cudaMemGetInfo(&free, &all) == cudaSuccess ? free : 0;
}

void read(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream()), "copy");
    check(cudaStreamSynchronize(stream()), "copy");
}

void copy(void* to, bool to_device, const void* from, bool from_device, std::size_t bytes) {
    if (!from_device) return staging().send(to, from, bytes);
    if (to_device) return check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()), "copy");
    read(to, from, bytes);
    raise_fault(*fault());
}

void fill(void* address, int byte, std::size_t bytes) {
    check(cudaMemsetAsync(address, byte, bytes, stream()), "fill");
}

void synchronize() {
    check(cudaStreamSynchronize(stream()), "synchronize");
    raise_fault(*fault());
}

Fault* fault() {
    static Fault* const shared = [] {
        void* memory = nullptr;
        check(cudaHostAlloc(&memory, sizeof(Fault), cudaHostAllocMapped), "fault");
        return new (memory) Fault;
    }();
    return shared;
}

void raise_if_failed(const char* what) { check(cudaGetLastError(), what); }

}  // namespace RECTO::cuda
