#pragma once
/// @file
/// Two ways to run a kernel, on any device.
///
///     each(device, n, kernel);         // kernel(i)          for every i in [0, n)
///     rows(device, n, width, kernel);  // kernel(team, row)  for every row in [0, n)
///
/// A kernel is a small struct with a `const` call operator marked RECTO_HD. Given a Later value
/// (device/recording.hpp) as well, both put it into the kernel's member `late`. All launch syntax, and all choice between
/// instruction sets, lives in this file.
#include <algorithm>
#include <type_traits>

#include <recto/device/cpu_class.hpp>
#include <recto/device/device.hpp>
#include <recto/device/recording.hpp>
#include <recto/device/team.hpp>
#include <recto/device/threads.hpp>

#if defined(__x86_64__) && defined(__GNUC__)
#define RECTO_AVX2 __attribute__((flatten, target("avx2,fma")))
#define RECTO_AVX512 __attribute__((flatten, target("avx2,fma,avx512f,avx512vl,avx512bw,avx512dq")))
#endif

#ifdef RECTO_MAY_NOT_LAUNCH  // its kernels would exist only on the CPU
#error "lib/CMakeLists.txt must have nvcc compile this source: it launches kernels"
#endif

#ifdef __CUDACC__
/// The parts of device/cuda that the launcher needs in a CUDA build.
namespace RECTO::cuda {
void raise_if_failed(const char* what);  ///< Turns the last CUDA error into an Error.
cudaStream_t stream();                   ///< The stream of all work.
}  // namespace RECTO::cuda
#endif

namespace RECTO {

namespace detail {
/// Throws: a kernel that only the host's compiler has seen cannot run on the GPU.
[[noreturn]] inline void refuse_launch(const char* what) {
    require(Device::cuda);
    refuse("{}: wanted a kernel compiled by nvcc to launch on cuda, got one for the host", fmt::make_format_args(what));
}
}  // namespace detail

#ifdef __CUDACC__
inline namespace with_cuda {  // a different mangled name, so that the linker never merges the two builds of a template
namespace grid {
template <class Kernel>
__global__ void each(Index n, Kernel kernel) {
    const Index stride = Index(gridDim.x) * blockDim.x;
    for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) kernel(i);
}
template <class Kernel>
__global__ void rows(Index n, Kernel kernel) {
    __shared__ Real scratch[team_size];
    for (Index row = blockIdx.x; row < n; row += gridDim.x) kernel(BlockTeam{scratch}, row);
}
inline unsigned blocks(Index wanted) { return unsigned(std::min<Index>(wanted, 65535)); }
}  // namespace grid
#else
inline namespace host_only {
#endif

// The same loop three times; `flatten` inlines the kernel, so that each is compiled for its instruction set.
namespace loops {

template <class Kernel>
void each_plain(Index begin, Index end, const Kernel& kernel) {
    RECTO_INDEPENDENT
    for (Index i = begin; i < end; ++i) kernel(i);
}
template <class Team, class Kernel>
void rows_plain(Index begin, Index end, const Kernel& kernel) {
    for (Index row = begin; row < end; ++row) kernel(Team{}, row);
}
#ifdef RECTO_AVX2
template <class Kernel>
RECTO_AVX2 void each_avx2(Index begin, Index end, const Kernel& kernel) {
    RECTO_INDEPENDENT
    for (Index i = begin; i < end; ++i) kernel(i);
}
template <class Kernel>
RECTO_AVX2 void rows_avx2(Index begin, Index end, const Kernel& kernel) {
    for (Index row = begin; row < end; ++row) kernel(LoopTeam{}, row);
}
template <class Kernel>
RECTO_AVX512 void each_avx512(Index begin, Index end, const Kernel& kernel) {
    RECTO_INDEPENDENT
    for (Index i = begin; i < end; ++i) kernel(i);
}
template <class Kernel>
RECTO_AVX512 void rows_avx512(Index begin, Index end, const Kernel& kernel) {
    for (Index row = begin; row < end; ++row) kernel(LoopTeam{}, row);
}
#endif

template <class Kernel>
void each(Index begin, Index end, const Kernel& kernel) {
#ifdef RECTO_AVX2
    if (cpu_class() == CpuClass::avx512) return each_avx512(begin, end, kernel);
    if (cpu_class() == CpuClass::avx2) return each_avx2(begin, end, kernel);
#endif
    each_plain(begin, end, kernel);
}
template <class Kernel>
void rows(Index begin, Index end, const Kernel& kernel) {
#ifdef RECTO_AVX2
    if (cpu_class() == CpuClass::avx512) return rows_avx512(begin, end, kernel);
    if (cpu_class() == CpuClass::avx2) return rows_avx2(begin, end, kernel);
#endif
    rows_plain<LoopTeam>(begin, end, kernel);
}

template <class Kernel>
void each_on_sim(Index n, const void* kernel) {
    static_assert(std::is_trivially_copyable_v<Kernel>);
    each_plain(0, n, *static_cast<const Kernel*>(kernel));
}
template <class Kernel>
void rows_on_sim(Index n, const void* kernel) {
    static_assert(std::is_trivially_copyable_v<Kernel>);
    rows_plain<SimTeam>(0, n, *static_cast<const Kernel*>(kernel));
}

}  // namespace loops

inline constexpr Index grain = 16384;  ///< Numbers a thread handles at a time; fewer are not worth waking one.

/// Runs `kernel(i)` for every i in [0, n).
template <class Kernel>
void each(Device device, Index n, const Kernel& kernel) {
    if (n <= 0) return;
    if (device == Device::cuda) {
#ifdef __CUDACC__
        grid::each<<<grid::blocks((n + 255) / 256), 256, 0, cuda::stream()>>>(n, kernel);
        return cuda::raise_if_failed("each");
#else
        return detail::refuse_launch("each");
#endif
    }
    if (device == Device::sim) return detail::run_on_sim(loops::each_on_sim<Kernel>, n, &kernel, sizeof kernel);
    parallel(n, grain, [&kernel](Index begin, Index end) { loops::each(begin, end, kernel); });
}

/// Runs `kernel(team, row)` for every row in [0, n).
/// @param width  numbers that one row handles, which decides how many rows a thread gets
template <class Kernel>
void rows(Device device, Index n, Index width, const Kernel& kernel) {
    if (n <= 0) return;
    if (device == Device::cuda) {
#ifdef __CUDACC__
        grid::rows<<<grid::blocks(n), team_size, 0, cuda::stream()>>>(n, kernel);
        return cuda::raise_if_failed("rows");
#else
        return detail::refuse_launch("rows");
#endif
    }
    if (device == Device::sim) return detail::run_on_sim(loops::rows_on_sim<Kernel>, n, &kernel, sizeof kernel);
    const Index together = std::max<Index>(1, grain / std::max<Index>(1, width));
    parallel(n, together, [&kernel](Index begin, Index end) { loops::rows(begin, end, kernel); });
}

/// A kernel whose member `late` is read from the device, in a captured step.
template <class Kernel, class T>
struct ReadsLate {
    Kernel kernel;  ///< the kernel without `late`
    const T* at;    ///< where `late` is on the device
    /// Runs the kernel for each().
    RECTO_HD void operator()(Index i) const {
        Kernel k = kernel;
        k.late = *at;
        k(i);
    }
    /// Runs the kernel for rows().
    template <class Team>
    RECTO_HD void operator()(const Team& team, Index row) const {
        Kernel k = kernel;
        k.late = *at;
        k(team, row);
    }
};

/// Runs `kernel(i)` for every i in [0, n), with a value that may change from step to step.
template <class Kernel, class T>
void each(Device device, Index n, Kernel kernel, const Later<T>& late) {
    if (late.at) return each(device, n, ReadsLate<Kernel, T>{kernel, late.at});
    kernel.late = late.now;
    each(device, n, kernel);
}

/// Runs `kernel(team, row)` for every row in [0, n), with a value that may change from step to step.
template <class Kernel, class T>
void rows(Device device, Index n, Index width, Kernel kernel, const Later<T>& late) {
    if (late.at) return rows(device, n, width, ReadsLate<Kernel, T>{kernel, late.at});
    kernel.late = late.now;
    rows(device, n, width, kernel);
}

}  // inline namespace
}  // namespace RECTO

#undef RECTO_AVX2
#undef RECTO_AVX512
