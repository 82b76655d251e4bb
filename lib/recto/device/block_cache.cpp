#include <recto/device/block_cache.hpp>

#include <recto/base/check.hpp>

namespace RECTO {

void* BlockCache::from(Shelf& shelf, std::size_t bytes) {
    const auto found = shelf.find(bytes);
    if (found == shelf.end() || found->second.empty()) return nullptr;
    void* block = found->second.back();
    found->second.pop_back();
    kept_ -= bytes;
    return block;
}

void* BlockCache::take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    void* block = open_ ? from(groups_[open_], bytes) : nullptr;
    if (!block) block = from(free_, bytes);
    if (!block) block = source_.take(bytes);
    if (!block && !open_) {  // a step that is being captured must not wait for the device
        give_back_locked();  // cached blocks may occupy the memory that is missing
        block = source_.take(bytes);
    }
    check(block != nullptr,
          "Storage: wanted {} bytes on {}, got none: {} are in use, {} kept for those to come, {} free", bytes, device_,
          in_use_, kept_, source_.left());
    if (open_) belongs_[block] = open_;
    in_use_ += bytes;
    return block;
}

void BlockCache::put(void* block, std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    const auto owner = belongs_.find(block);
    (owner == belongs_.end() ? free_ : groups_[owner->second])[bytes].push_back(block);
    in_use_ -= bytes;
    kept_ += bytes;
}

BlockCache::Group BlockCache::begin_group() {
    const std::lock_guard lock(mutex_);
    check(open_ == 0, "capture: wanted no capture inside another one, got one");
    return open_ = ++last_;
}
void BlockCache::end_group() {
    const std::lock_guard lock(mutex_);
    open_ = 0;
}
void BlockCache::dissolve(Group group) {
    const std::lock_guard lock(mutex_);
    for (auto& [bytes, blocks] : groups_[group]) {
        auto& free = free_[bytes];
        free.insert(free.end(), blocks.begin(), blocks.end());
    }
    groups_.erase(group);
    std::erase_if(belongs_, [&](const auto& entry) { return entry.second == group; });
}

std::size_t BlockCache::in_use() const {
    const std::lock_guard lock(mutex_);
    return in_use_;
}
std::size_t BlockCache::kept() const {
    const std::lock_guard lock(mutex_);
    return kept_;
}

void BlockCache::give_back() {
    const std::lock_guard lock(mutex_);
    give_back_locked();
}
void BlockCache::give_back_locked() {
    for (const auto& [bytes, blocks] : free_)
        for (void* block : blocks) {
            source_.give(block, bytes);
            kept_ -= bytes;
        }
    free_.clear();
}

}  // namespace RECTO
