#pragma once
/// @file
/// Copies from the host to the GPU while the host continues. Does not include CUDA, so that it can be tested without a
/// GPU.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <mutex>

#include <recto/base/config.hpp>

namespace RECTO::cuda {

inline constexpr std::size_t staging_buffers = 8;                   ///< Number of buffers that are used in turn.
inline constexpr std::size_t staging_bytes = std::size_t(2) << 20;  ///< Size of each buffer, in bytes.

/// A few pinned buffers, used in turn: the caller's bytes are copied into a buffer, which the GPU reads later. A buffer
/// is reused only after the GPU has read it.
/// @tparam Driver  `void* pin(bytes)`, `send(to, buffer, bytes)`, which returns at once, `mark(i)`, which notes that all
///                 sent so far is sent from buffer i, and `wait(i)` until the GPU has come to that mark
template <class Driver>
class Staging {
public:
    Driver driver;  ///< Sends and waits.

    /// Sends `bytes` bytes; `from` may change when this returns.
    void send(void* to, const void* from, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        for (std::size_t done = 0, some = 0; done < bytes; done += some) {
            const std::size_t i = next_++ % staging_buffers;
            if (buffers_[i])
                driver.wait(i);
            else
                buffers_[i] = driver.pin(staging_bytes);
            some = std::min(bytes - done, staging_bytes);
            std::memcpy(buffers_[i], static_cast<const std::byte*>(from) + done, some);
            driver.send(static_cast<std::byte*>(to) + done, buffers_[i], some);
            driver.mark(i);
        }
    }

private:
    std::mutex mutex_;
    std::array<void*, staging_buffers> buffers_{};
    std::size_t next_ = 0;
};

}  // namespace RECTO::cuda
