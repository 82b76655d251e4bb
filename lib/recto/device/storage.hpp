#pragma once
/// @file
/// A block of memory on one device. Blocks are kept and handed out again: fresh memory costs page faults.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <recto/device/device.hpp>

namespace RECTO {

/// Owns `bytes` bytes of uninitialised memory on `device`.
class Storage {
public:
    /// @throws Error when the device is missing or out of memory
    Storage(std::size_t bytes, Device device);
    ~Storage();
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    void* data() const { return data_; }                ///< An address on the device.
    Device device() const { return device_; }           ///< The device of the memory.
    std::size_t bytes() const { return bytes_; }        ///< The requested number of bytes.
    std::uint64_t version() const { return version_; }  ///< Number of changes of its content.

    /// Records that bytes [begin, end) change.
    void changed(std::size_t begin, std::size_t end) {
        ++version_;
        if (begin == 0 && end == bytes_ && parts_.empty())
            whole_ = version_;
        else
            remember(begin, end);
    }
    /// Whether a byte in [begin, end) changed after this version.
    bool changed_since(std::uint64_t version, std::size_t begin, std::size_t end) const;

private:
    struct Change {
        std::uint64_t version;
        std::size_t begin, end;
    };
    void remember(std::size_t begin, std::size_t end);
    std::size_t room() const;   // bytes for data, rounded up
    std::size_t block() const;  // bytes allocated on the device, guards included

    std::size_t bytes_, guard_;
    Device device_;
    void* data_;
    std::uint64_t version_ = 0, whole_ = 0;  // whole_: the last change that may affect every byte
    std::vector<Change> parts_;              // later changes of parts, the latest for each part
};

/// Copies bytes between places, each on its device; a copy to itself is fine.
/// @param who  the operation's name, for the message   @throws Error between devices in a captured step
void copy_bytes(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes,
                const char* who = "copy");

/// Counts what Storage holds, over all devices.
struct MemoryUse {
    std::size_t now;   ///< bytes held at this moment
    std::size_t peak;  ///< the most held since the start or the last reset_memory_peak()
};
MemoryUse memory_use();    ///< The present counts.
void reset_memory_peak();  ///< Starts the peak again from what is held now.

/// For tests: fills every new block with NaN, so that reads of uninitialised memory show. @return the previous setting
bool poison_new_memory(bool on);

/// For tests: surrounds every new block with guards, bytes that are checked when the block is freed. @return the
/// previous setting
bool guard_new_memory(bool on);

/// The number of freed blocks with a write beyond either end.
std::size_t overwritten_guards();

}  // namespace RECTO
