#pragma once
/// @file
/// Launches on the emulator.
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace recto::kernels {

namespace detail {
// How this file is compiled.
#ifdef RECTO_CUDA_ON_CPU
constexpr bool seen = true;
#else
constexpr bool seen = false;
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// A kernel with its arguments, to be called once for each thread.
struct Call {
    const void* kernel;                 ///< its address, which leads to its name
    void (*invoke)(Call& call);         ///< calls it
    void* arguments;                    ///< a tuple of the arguments
    std::vector<const void*> pointers;  ///< the pointers among the arguments, null for the others
    bool seen;                          ///< whether it was compiled to report accesses
};
Counts run(const Config& config, Call& call);
void* dynamic_shared();

template <class... P>
struct Invoke {
    template <std::size_t... I>
    RECTO_UNSEEN static void with(Call& call, std::index_sequence<I...>) {
        auto& values = *static_cast<std::tuple<P...>*>(call.arguments);
        reinterpret_cast<void (*)(P...)>(const_cast<void*>(call.kernel))(std::get<I>(values)...);
    }
    RECTO_UNSEEN static void call(Call& call) { with(call, std::index_sequence_for<P...>()); }
};

template <class P>
const void* pointer_of(const P& value) {
    if constexpr (std::is_pointer_v<P>)
        return reinterpret_cast<const void*>(value);
    else
        return nullptr;
}
}  // namespace detail

/// Runs a kernel on every thread of the grid and waits for it.
/// @throws Mistake at the first mistake found
template <class... P, class... A>
Counts launch(const Config& config, void (*kernel)(P...), A&&... arguments) {
    static_assert(sizeof...(P) == sizeof...(A), "launch: wanted one argument for each parameter of the kernel");
    static_assert(detail::seen || detail::sanitized || sizeof...(P) > 1000,  // checked only when a kernel is launched
                  "compile files with kernels through recto_cuda_on_cpu() of CMake, else no mistake is seen");
    std::tuple<P...> values(detail::argument<P>(std::forward<A>(arguments))...);
    std::vector<const void*> pointers =
        std::apply([](const P&... p) { return std::vector<const void*>{detail::pointer_of(p)...}; }, values);
    detail::Call call{reinterpret_cast<const void*>(kernel), detail::Invoke<P...>::call, &values, std::move(pointers),
                      detail::seen};
    return detail::run(config, call);
}

/// The block's shared memory of dynamic size, with the number of bytes from the launch.
template <class T>
T* dynamic_shared() {
    return static_cast<T*>(detail::dynamic_shared());
}

}  // namespace recto::kernels
