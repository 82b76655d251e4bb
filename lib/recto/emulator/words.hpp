#pragma once
/// @file
/// CUDA's keywords and built-in functions for compilers other than nvcc.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __has_feature  // clang's way to test for a sanitizer, where g++ has macros
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__
#endif
#endif
/// @cond  CUDA documents these names.
#define RECTO_EMULATOR  // CUDA's names are defined
#define __global__ __attribute__((noinline))
#define __device__
#define __host__
// Each in its own section, which the emulator recognises: g++ does not put const and other variables in one section.
#define __constant__ RECTO_SECTION_OF_CONSTANT(__COUNTER__)
#define RECTO_SECTION_OF_CONSTANT(n) __attribute__((section("recto_cuda_constant." RECTO_IN_QUOTES(n))))
#define RECTO_IN_QUOTES(n) #n
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
// One host thread runs one block at a time, so thread-local memory belongs to the block, and its addresses distinguish
// shared memory from all other. Sanitizers put no red zones in thread-local memory, so under them shared arrays are
// `static`.
#ifdef RECTO_CUDA_ON_CPU
#define __shared__ thread_local
#else
#define __shared__ static
#endif
/// These small functions report their memory accesses to the emulator explicitly.
#define RECTO_UNSEEN __attribute__((no_sanitize("thread")))

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

// A GPU reads a float4 in one access. clang would copy the struct with memcpy, which the emulator does not see.
#ifdef __clang__
#define RECTO_COPIED_WHOLE(NAME, BYTES)                                                       \
    typedef std::uint32_t Whole __attribute__((vector_size(BYTES), may_alias));               \
    NAME() = default;                                                                         \
    __attribute__((nodebug)) NAME(const NAME& from) { *(Whole*)this = *(const Whole*)&from; } \
    __attribute__((nodebug)) NAME& operator=(const NAME& from) {                              \
        *(Whole*)this = *(const Whole*)&from;                                                 \
        return *this;                                                                         \
    }
#else
#define RECTO_COPIED_WHOLE(NAME, BYTES)
#endif
#define RECTO_VECTORS(TYPE, NAME)                                   \
    struct alignas(2 * sizeof(TYPE)) NAME##2 {                      \
        TYPE x, y;                                                  \
        RECTO_COPIED_WHOLE(NAME##2, 2 * sizeof(TYPE))               \
    };                                                              \
    struct alignas(16) NAME##4 {                                    \
        TYPE x, y, z, w;                                            \
        RECTO_COPIED_WHOLE(NAME##4, 4 * sizeof(TYPE))               \
    };                                                              \
    inline NAME##2 make_##NAME##2(TYPE x, TYPE y) {                 \
        NAME##2 made;                                               \
        made.x = x, made.y = y;                                     \
        return made;                                                \
    }                                                               \
    inline NAME##4 make_##NAME##4(TYPE x, TYPE y, TYPE z, TYPE w) { \
        NAME##4 made;                                               \
        made.x = x, made.y = y, made.z = z, made.w = w;             \
        return made;                                                \
    }
RECTO_VECTORS(float, float)
RECTO_VECTORS(int, int)
RECTO_VECTORS(unsigned, uint)
#undef RECTO_VECTORS
#undef RECTO_COPIED_WHOLE

// Written by the emulator before a thread runs; constant for the thread.
extern const uint3 threadIdx __asm__("recto_cuda_threadIdx");
extern const uint3 blockIdx __asm__("recto_cuda_blockIdx");
extern const dim3 blockDim __asm__("recto_cuda_blockDim");
extern const dim3 gridDim __asm__("recto_cuda_gridDim");
inline constexpr int warpSize = 32;

// clang would merge two barriers in different branches into one.
#ifdef __clang__
#define RECTO_CONVERGENT __attribute__((convergent, nomerge))
#else
#define RECTO_CONVERGENT
#endif
RECTO_CONVERGENT void __syncthreads();
RECTO_CONVERGENT int __syncthreads_count(int condition);
RECTO_CONVERGENT int __syncthreads_and(int condition);
RECTO_CONVERGENT int __syncthreads_or(int condition);
RECTO_CONVERGENT void __syncwarp(unsigned mask = 0xffffffff);
RECTO_CONVERGENT unsigned __ballot_sync(unsigned mask, int condition);
RECTO_CONVERGENT int __all_sync(unsigned mask, int condition);
RECTO_CONVERGENT int __any_sync(unsigned mask, int condition);
void __threadfence();
void __threadfence_block();

namespace recto::kernels::detail {
enum class Shuffle { from, up, down, exclusive_or };
std::uint64_t shuffle(Shuffle kind, unsigned mask, std::uint64_t bits, int lane, int width, const void* caller);
void atomic(const void* address, unsigned size, const void* caller);

template <class T>
RECTO_UNSEEN inline T shuffle(Shuffle kind, unsigned mask, T value, int lane, int width, const void* caller) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8, "a shuffle moves numbers of at most 8 bytes");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    bits = shuffle(kind, mask, bits, lane, width, caller);
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

/// One atomic step: reads, computes, writes, and returns the old value.
template <class T, class F>
RECTO_UNSEEN inline T atomic_step(T* address, const void* caller, const F& f) {
    atomic(address, sizeof(T), caller);
    const T before = *address;  // the emulator never runs two threads at the same time
    *address = f(before);
    return before;
}
}  // namespace recto::kernels::detail

// noinline, so that the return address belongs to the caller's line.
#define RECTO_SHUFFLE(NAME, KIND, LANE)                                                                              \
    template <class T>                                                                                               \
    __attribute__((noinline)) RECTO_CONVERGENT RECTO_UNSEEN T NAME(unsigned mask, T value, LANE lane,                \
                                                                   int width = warpSize) {                           \
        return recto::kernels::detail::shuffle(recto::kernels::detail::Shuffle::KIND, mask, value, int(lane), width, \
                                               __builtin_return_address(0));                                         \
    }
RECTO_SHUFFLE(__shfl_sync, from, int)
RECTO_SHUFFLE(__shfl_up_sync, up, unsigned)
RECTO_SHUFFLE(__shfl_down_sync, down, unsigned)
RECTO_SHUFFLE(__shfl_xor_sync, exclusive_or, int)
#undef RECTO_SHUFFLE

#define RECTO_ATOMIC(NAME, AFTER)                                                                       \
    template <class T>                                                                                  \
    __attribute__((noinline)) RECTO_UNSEEN T NAME(T* address, std::type_identity_t<T> value) {          \
        return recto::kernels::detail::atomic_step(address, __builtin_return_address(0),                \
                                                   [value](T old) RECTO_UNSEEN -> T { return AFTER; }); \
    }
RECTO_ATOMIC(atomicAdd, T(old + value))
RECTO_ATOMIC(atomicSub, T(old - value))
RECTO_ATOMIC(atomicMax, old < value ? value : old)
RECTO_ATOMIC(atomicMin, value < old ? value : old)
RECTO_ATOMIC(atomicAnd, T(old& value))
RECTO_ATOMIC(atomicOr, T(old | value))
RECTO_ATOMIC(atomicXor, T(old ^ value))
RECTO_ATOMIC(atomicExch, (void(old), value))
RECTO_ATOMIC(atomicInc, old >= value ? T(0) : T(old + 1))
#undef RECTO_ATOMIC
template <class T>
__attribute__((noinline)) RECTO_UNSEEN T atomicCAS(T* address, std::type_identity_t<T> expected,
                                                   std::type_identity_t<T> value) {
    return recto::kernels::detail::atomic_step(address, __builtin_return_address(0),
                                               [=](T old) RECTO_UNSEEN -> T { return old == expected ? value : old; });
}

template <class T>
__forceinline__ T __ldg(const T* address) {
    return *address;
}
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
// A GPU computes these in one or two instructions, with a larger error; here they are as exact as the functions with
// long names. glibc declares some of them itself.
extern "C" {
inline float __expf(float x) noexcept { return std::exp(x); }
inline float __exp10f(float x) noexcept { return std::pow(10.0f, x); }
inline float __logf(float x) noexcept { return std::log(x); }
inline float __log2f(float x) noexcept { return std::log2(x); }
inline float __log10f(float x) noexcept { return std::log10(x); }
inline float __powf(float x, float y) noexcept { return std::pow(x, y); }
inline float __sinf(float x) noexcept { return std::sin(x); }
inline float __cosf(float x) noexcept { return std::cos(x); }
inline float __tanf(float x) noexcept { return std::tan(x); }
}
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float x) { return x > 0 ? std::fmin(x, 1.0f) : 0; }  // NaN becomes 0
// Rounded once, to the nearest float; the compiler must not fuse a multiplication with an addition.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __frcp_rn(float x) { return 1 / x; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __frsqrt_rn(float x) { return float(1 / std::sqrt(double(x))); }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(unsigned(x)); }
inline int __ffs(int x) { return x ? std::countr_zero(unsigned(x)) + 1 : 0; }
// By value, as in CUDA: std::max would read its arguments twice, in a line of the standard library.
template <class T>
__forceinline__ constexpr T max(T a, T b) {
    return a < b ? b : a;
}
template <class T>
__forceinline__ constexpr T min(T a, T b) {
    return b < a ? b : a;
}
/// @endcond
