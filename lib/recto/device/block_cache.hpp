#pragma once
/// @file
/// A cache of device memory: freed blocks are kept and reused.
#include <cstddef>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <recto/device/device.hpp>

namespace RECTO {

/// Where a BlockCache gets its memory from: a GPU's driver, the host, or a test.
struct MemorySource {
    std::function<void*(std::size_t bytes)> take;              ///< allocates a block; null when out of memory
    std::function<void(void* block, std::size_t bytes)> give;  ///< frees a block that is no longer in use
    std::function<std::size_t()> left;                         ///< bytes still available
};

/// Keeps freed blocks by their size and reuses them; callers round sizes up, so that more requests fit.
///
/// All work on a device runs in order, so a freed block may be reused at once: earlier kernels have finished with it. A
/// captured step (autograd/captured.hpp) is an exception, since it runs repeatedly: blocks taken between begin_group()
/// and end_group() belong to a group, and only this group reuses them.
class BlockCache {
public:
    using Group = int;  ///< Identifies a group; 0 is no group.

    /// @param device  the device's name in messages
    BlockCache(const char* device, MemorySource source) : device_(device), source_(std::move(source)) {}

    /// Allocates a block. @throws Error when out of memory even after all cached blocks were returned
    void* take(std::size_t bytes);
    /// Frees a block; never throws.
    void put(void* block, std::size_t bytes) noexcept;

    Group begin_group();         ///< Later blocks belong to a new group.
    void end_group();            ///< Later blocks belong to no group.
    void dissolve(Group group);  ///< Releases its blocks, now or when they are freed.
    std::size_t in_use() const;  ///< Bytes taken and not given back.
    std::size_t kept() const;    ///< Bytes kept, those of groups included.
    void give_back();            ///< Returns cached blocks, except those of groups, to the source.

private:
    using Shelf = std::unordered_map<std::size_t, std::vector<void*>>;  // by size

    void* from(Shelf& shelf, std::size_t bytes);
    void give_back_locked();

    const char* device_;
    MemorySource source_;
    mutable std::mutex mutex_;
    Shelf free_;
    std::unordered_map<Group, Shelf> groups_;   // free blocks of each group
    std::unordered_map<void*, Group> belongs_;  // blocks of groups, free or not
    Group open_ = 0, last_ = 0;
    std::size_t in_use_ = 0, kept_ = 0;
};

/// The blocks of `device`, sim or cuda.
BlockCache& block_cache(Device device);

}  // namespace RECTO
