#pragma once
/// @file
/// Device memory that is asked for once: what is freed is kept and handed out again.
#include <cstddef>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <recto/device/device.hpp>

namespace RECTO {

/// Where a BlockCache gets its memory from: a GPU's driver, the host, or a test.
struct MemorySource {
    std::function<void*(std::size_t bytes)> take;              ///< null when there is none left
    std::function<void(void* block, std::size_t bytes)> give;  ///< takes a block back, when nobody uses it any more
    std::function<std::size_t()> left;                         ///< how many bytes it could still give
};

/// Keeps freed blocks by their size and hands them out again; callers round sizes up, so that blocks find new users.
///
/// All work on a device runs in one order, so a freed block may have a new user at once: what the old one asked for
/// is done before. That does not hold for a captured step (autograd/captured.hpp), which runs again and again: between
/// begin_group() and end_group() blocks come to belong to a group, and only the group gets them when they are freed.
class BlockCache {
public:
    using Group = int;  ///< 0 is nobody's.

    /// @param device  what messages call it
    BlockCache(const char* device, MemorySource source) : device_(device), source_(std::move(source)) {}

    /// A block. @throws Error when the source has none, even after it got everything back that is kept
    void* take(std::size_t bytes);
    /// Gives one back; never throws.
    void put(void* block, std::size_t bytes) noexcept;

    Group begin_group();         ///< What is taken from now on belongs to a new group.
    void end_group();            ///< No longer.
    void dissolve(Group group);  ///< Its blocks become everybody's, now or when they are freed.
    std::size_t in_use() const;  ///< Bytes taken and not given back.
    std::size_t kept() const;    ///< Bytes kept, those of groups included.
    void give_back();            ///< Returns what is kept, but not what belongs to groups, to the source.

private:
    using Shelf = std::unordered_map<std::size_t, std::vector<void*>>;  // by size

    void* from(Shelf& shelf, std::size_t bytes);
    void give_back_locked();

    const char* device_;
    MemorySource source_;
    mutable std::mutex mutex_;
    Shelf free_;
    std::unordered_map<Group, Shelf> groups_;   // what is free in each
    std::unordered_map<void*, Group> belongs_;  // blocks of groups, free or not
    Group open_ = 0, last_ = 0;
    std::size_t in_use_ = 0, kept_ = 0;
};

/// The blocks of `device`, sim or cuda.
BlockCache& block_cache(Device device);

}  // namespace RECTO
