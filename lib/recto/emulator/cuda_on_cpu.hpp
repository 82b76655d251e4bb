#pragma once
/// @file
/// CUDA kernels for any machine: the same file runs on the CPU, where mistakes are found and reported, and, compiled by
/// nvcc, on a GPU.
///
///     #include <recto/emulator/cuda_on_cpu.hpp>
///     using namespace recto::kernels;
///
///     __global__ void scale(const float* in, float* out, float factor, int n) {
///         const int i = blockIdx.x * blockDim.x + threadIdx.x;
///         if (i < n) out[i] = factor * in[i];
///     }
///     std::vector<float> scaled(const std::vector<float>& values, float factor) {
///         const int n = int(values.size());
///         Buffer<float> in(values, "in"), out(n, "out");  // memory of the device, names for messages
///         launch({(n + 255) / 256, 256}, scale, in, out, factor, n);
///         return out.values();
///     }
///
/// CMake: `recto_cuda_on_cpu(TARGET FILE...)` compiles the files that hold kernels and links the emulator.
///
/// On the CPU the blocks of a grid run one after another, and the threads of a block in turn, each up to its next
/// barrier: always in the same order, which settings() changes. The compiler reports every access to memory, so
/// launch() finds, and reports with kernel, block, thread and line: indices out of range; reads of uninitialised
/// memory; races (a missing __syncthreads, __syncwarp or atomic), within a block and between blocks; barriers that not
/// all threads reach; shuffles with lanes that do not take part; host pointers in a kernel and device pointers on the
/// host; misaligned vectors; endless loops; launches that no GPU accepts. It throws the first such Mistake. values()
/// rejects elements that were never written. The result of launch() counts memory transactions and bank conflicts;
/// reads of a `__constant__` variable have their own cache and count as neither. Messages count an array in shared
/// memory as flat: `tile[33]` is the second row of `tile[32][33]`.
///
/// It cannot find: accesses inside functions that were compiled elsewhere (memcpy); an index through a pointer that
/// ends in another array of the same kernel; races that occur only with other inputs; missing order between two
/// streams; arithmetic that a GPU rounds differently; anything about time, caches and occupancy. Two threads that write
/// the same value are no race. Between blocks, an atomic after a __threadfence orders what was done before; within a
/// block only barriers do, so a lock made of atomics counts as a race. A block that waits for a later block never ends.
/// Declare shared memory of dynamic size as `float* tile = dynamic_shared<float>();`, since `extern __shared__` names a
/// symbol that only nvcc provides.
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#ifdef __CUDACC__
#include <cuda_runtime.h>
#else
#include <recto/emulator/words.hpp>
#endif

/// Kernels written by hand: device memory, launches, and what is found out about them.
namespace recto::kernels {

/// The kinds of Mistake.
enum class Kind {
    out_of_range,       ///< an index outside its buffer or array
    uninitialised,      ///< a read of uninitialised memory
    race,               ///< unordered accesses of two threads to the same place, at least one of them a write
    divergent_barrier,  ///< a barrier that some threads do not reach
    shuffle,            ///< a shuffle or vote with lanes that do not take part
    host_pointer,       ///< memory of the host used on the device, or the reverse
    misaligned,         ///< a vector at an address that is not a multiple of its size
    endless,            ///< a thread that does not end
    launch,             ///< a launch that no GPU accepts, or an error that the GPU reports
};

/// Thrown for a mistake in a kernel or in the host code around it; what() explains it in one sentence.
struct Mistake : std::runtime_error {
    Kind kind;  ///< what kind of mistake it is
    /// A mistake of this kind, with its message.
    Mistake(Kind kind_, const std::string& sentence) : std::runtime_error(sentence), kind(kind_) {}
};

/// Accesses to global memory, counted per warp as a GPU serves them: one instruction of all lanes together.
struct Traffic {
    long requests = 0;            ///< instructions of warps
    long transactions = 0;        ///< lines of 128 bytes that they touch
    long ideal_transactions = 0;  ///< the fewest that could hold the same bytes
    long sectors = 0;             ///< units of 32 bytes that they touch
    long ideal_sectors = 0;       ///< the fewest that could hold the same bytes
};

/// Accesses to shared memory: 32 banks of 4 bytes, each serves one word at a time to any number of lanes.
struct SharedTraffic {
    long requests = 0;        ///< instructions of warps
    long passes = 0;          ///< passes through the banks
    long ideal_passes = 0;    ///< the fewest passes possible
    int worst_conflict = 0;   ///< most words read from one bank in a pass: 1 no conflict, 32 worst
    std::string worst_where;  ///< the line with the worst conflict, `transpose.cu:12`
};

/// The memory accesses of one line of a kernel.
struct Line {
    std::string where;     ///< `transpose.cu:12`
    bool store = false;    ///< whether it writes; otherwise it reads
    Traffic global;        ///< to global memory
    SharedTraffic shared;  ///< to shared memory
};

/// The memory accesses of one launch. A GPU does not count: there `counted` is false and everything is zero.
struct Counts {
    bool counted = false;          ///< whether accesses were counted
    Traffic loads;                 ///< reads of global memory
    Traffic stores;                ///< writes to global memory
    SharedTraffic shared;          ///< reads and writes of shared memory
    long atomics = 0;              ///< atomic operations of threads
    long barriers = 0;             ///< __syncthreads of blocks
    std::size_t shared_bytes = 0;  ///< shared memory of a block
    std::vector<Line> lines;       ///< the counts of each line, in the order in which the lines were first reached
};

struct Config;

/// How the emulator runs. On a GPU only `after` has an effect.
struct Settings {
    unsigned order = 0;       ///< of threads and blocks: 0 forwards, 1 backwards, otherwise shuffled with this seed
    long steps = 50'000'000;  ///< straight pieces of code that a thread may run before it counts as endless
    void (*after)(const Config& config, const Counts& counts) = nullptr;  ///< called after every successful launch
    void (*copied)(void* to, std::size_t bytes, bool to_host) = nullptr;  ///< called after every copy with its data
};
/// The settings of all later launches.
Settings& settings();

namespace detail {
void* allocate(std::size_t bytes, std::size_t element, const std::string& name);
void release(void* device) noexcept;
void* new_stream();
void end_stream(void* stream) noexcept;
void synchronize(void* stream);
// Without a stream, copies are complete when these functions return.
void to_device(void* device, const void* host, std::size_t bytes, void* stream);
void to_host(void* host, const void* device, std::size_t bytes, void* stream);
}  // namespace detail

/// A queue of device work that runs in order while the host continues.
class Stream {
public:
    Stream() : handle_(detail::new_stream()) {}
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { detail::end_stream(handle_); }
    void synchronize() { detail::synchronize(handle_); }  ///< Waits until all work is done. @throws Mistake
    void* handle() const { return handle_; }              ///< The cudaStream_t on a GPU.

private:
    void* handle_;
};

/// The launch configuration of a kernel.
struct Config {
    dim3 grid;                     ///< blocks
    dim3 block;                    ///< threads of a block
    std::size_t shared_bytes = 0;  ///< shared memory of dynamic size, for dynamic_shared()
    Stream* stream = nullptr;      ///< the stream of the launch; without one, launch() waits for the kernel
};

/// Device memory for `size` elements. Kernels get its address; the host copies.
template <class T>
class Buffer {
public:
    /// Uninitialised memory for `size` elements.
    explicit Buffer(std::size_t size, const std::string& name = "")
        : size_(size), data_(static_cast<T*>(detail::allocate(size * sizeof(T), sizeof(T), name))) {}
    /// A copy of the host's values.
    explicit Buffer(const std::vector<T>& values, const std::string& name = "") : Buffer(values.size(), name) {
        set(values);
    }
    /// Takes over the other buffer's memory.
    Buffer(Buffer&& from) noexcept : size_(from.size_), data_(std::exchange(from.data_, nullptr)) {}
    /// Exchanges memory with the other buffer.
    Buffer& operator=(Buffer&& from) noexcept {
        std::swap(size_, from.size_);
        std::swap(data_, from.data_);
        return *this;
    }
    ~Buffer() { detail::release(data_); }

    T* data() const { return data_; }           ///< An address on the device; launch() also takes the buffer itself.
    std::size_t size() const { return size_; }  ///< Number of elements.
    /// Copies from the host. @throws Mistake when the sizes differ
    void set(const std::vector<T>& values) { from(values, nullptr); }
    /// Copies on a stream: the host must not change the values until the stream is synchronised.
    void set(const std::vector<T>& values, Stream& stream) { from(values, stream.handle()); }
    /// Copies to the host, after all work launched before. @throws Mistake when an element was never written
    std::vector<T> values() const {
        std::vector<T> host(size_);
        detail::to_host(host.data(), data_, size_ * sizeof(T), nullptr);
        return host;
    }
    /// Copies to `host` on a stream: the host must not read it until the stream is synchronised.
    void values(std::vector<T>& host, Stream& stream) const {
        host.resize(size_);
        detail::to_host(host.data(), data_, size_ * sizeof(T), stream.handle());
    }

private:
    void from(const std::vector<T>& values, void* stream) {
        if (values.size() != size_)
            throw Mistake(Kind::out_of_range, "Buffer::set: wanted " + std::to_string(size_) + " values, got " +
                                                  std::to_string(values.size()));
        detail::to_device(data_, values.data(), size_ * sizeof(T), stream);
    }

    std::size_t size_;
    T* data_;
};

namespace detail {
template <class P, class A>
P argument(A&& given) {
    return static_cast<P>(std::forward<A>(given));
}
template <class P, class T>
P argument(Buffer<T>& given) {
    return given.data();
}
template <class P, class T>
P argument(const Buffer<T>& given) {
    return given.data();
}
}  // namespace detail

}  // namespace recto::kernels

#ifdef __CUDACC__
#include <recto/emulator/on_gpu.hpp>
#else
#include <recto/emulator/on_cpu.hpp>
#endif
