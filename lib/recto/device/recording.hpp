#pragma once
/// @file
/// Records the kernels of a training step, so that it can be replayed without the host (autograd/captured.hpp).
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>

#include <recto/device/device.hpp>

namespace RECTO {

namespace detail {

/// Whether this thread is recording a step.
bool capturing();

/// Throws an Error while a step is recorded: operation `what` needs the host, which takes no part in a replay.
/// @param what  the operation's name, for the message
void refuse_in_capture(const char* what);

/// A loop over a kernel of `sim`, which gets the kernel's address.
using SimLoop = void (*)(Index n, const void* kernel);

/// Runs a kernel on device `sim`, or records a copy of it.
void run_on_sim(SimLoop loop, Index n, const void* kernel, std::size_t bytes);

/// Memory on the device that `write` fills in on the host before every replay.
const void* place_for_later(std::size_t bytes, std::function<void(void* to)> write);

/// The recorded work of a step: the kernels of `sim` in their order, or a CUDA graph.
class Recording {
public:
    /// Runs `step` once; its work for `device` is recorded instead of done.
    /// @throws Error when the step needs a result on the host
    Recording(Device device, const std::function<void()>& step);
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    void replay();  ///< Computes the values that change from step to step, sends them, and runs the work.

    struct Work;  ///< What was recorded (recording.cpp).

private:
    std::unique_ptr<Work> work_;
};

}  // namespace detail

/// A small value that the host computes for every step, such as a learning rate or the key of random draws. Kernels
/// take it as a member named `late`; each() and rows() put it there.
template <class T>
struct Later {
    T now{};                ///< the value ...
    const T* at = nullptr;  ///< ... or, in a step that is being captured, where the device will find it
};

/// What `make` returns: now, or before every replay when a step is being captured, in the order of the calls.
/// @param make  can be called as long as the captured step exists
template <class Make>
auto later(const Make& make) {
    using T = std::invoke_result_t<Make>;
    static_assert(std::is_trivially_copyable_v<T>);
    if (!detail::capturing()) return Later<T>{make(), nullptr};
    const auto write = [make](void* to) {
        const T value = make();
        std::memcpy(to, &value, sizeof(T));
    };
    return Later<T>{T{}, static_cast<const T*>(detail::place_for_later(sizeof(T), write))};
}

}  // namespace RECTO
