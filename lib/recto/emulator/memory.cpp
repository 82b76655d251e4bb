#include <recto/emulator/memory.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace recto::kernels::detail {

void Region::refine(unsigned bytes) {
    const std::size_t many = (end - begin + bytes - 1) / bytes;
    if (cells.empty()) {
        Cell fresh;
        fresh.known = filled;
        cells.assign(many, fresh);
        element = space == Space::global ? element : bytes;
    } else {
        std::vector<Cell> finer(many);
        for (std::size_t i = 0; i < many; ++i) finer[i] = cells[i * bytes / grain];
        cells = std::move(finer);
    }
    grain = bytes;
}

void Region::fill() {
    filled = true;
    for (Cell& cell : cells) cell.known = true;
}

Memory::Memory() {
    void* at = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    begin_ = reinterpret_cast<std::uintptr_t>(at);
}

Region& Memory::allocate(std::size_t bytes, unsigned element, const std::string& name) {
    const std::uintptr_t whole = (std::max<std::size_t>(bytes, 1) + 4095) / 4096 * 4096;
    std::uintptr_t at = begin_ + guard;  // the first gap that is large enough
    for (auto next = regions_.lower_bound(begin_); next != regions_.end() && in_range(next->first); ++next) {
        if (next->first >= at + whole + guard) break;
        at = (next->second.end + 4095) / 4096 * 4096 + guard;
    }
    void* memory = reinterpret_cast<void*>(at);
    if (!in_range(at + whole + guard) || mprotect(memory, whole, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    std::memset(memory, 0xff, bytes);  // NaN
#ifdef __SANITIZE_ADDRESS__
    __asan_poison_memory_region(reinterpret_cast<char*>(memory) + bytes, whole - bytes);
#endif
    std::erase_if(freed_,
                  [&](const Range& range) { return range.begin < at + whole && at < range.begin + range.bytes; });
    Region region;
    region.name = name;
    region.begin = at;
    region.end = at + bytes;
    region.element = element;
    return regions_.insert_or_assign(at, std::move(region)).first->second;
}

void Memory::release(std::uintptr_t begin) {
    const auto found = regions_.find(begin);
    freed_.push_back({begin, found->second.end - begin});
    const std::uintptr_t whole = (std::max<std::size_t>(found->second.end - begin, 1) + 4095) / 4096 * 4096;
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(reinterpret_cast<void*>(begin), whole);
#endif
    madvise(reinterpret_cast<void*>(begin), whole, MADV_DONTNEED);
    mprotect(reinterpret_cast<void*>(begin), whole, PROT_NONE);
    regions_.erase(found);
}

Region& Memory::add(const Symbol& symbol, Space space) {
    Region region;
    region.space = space;
    region.name = symbol.name;
    region.begin = symbol.begin;
    region.end = symbol.end;
    region.filled = space == Space::variable || space == Space::constant;
    if (space == Space::shared) std::memset(reinterpret_cast<void*>(symbol.begin), 0xff, symbol.end - symbol.begin);
    return regions_.insert_or_assign(symbol.begin, std::move(region)).first->second;
}

Region* Memory::find(std::uintptr_t at) {
    auto above = regions_.upper_bound(at);
    if (above == regions_.begin()) return nullptr;
    Region& region = std::prev(above)->second;
    return at < region.end ? &region : nullptr;
}

Region* Memory::near(std::uintptr_t at) {
    if (!in_range(at)) return nullptr;
    auto above = regions_.upper_bound(at);
    Region* below = above == regions_.begin() ? nullptr : &std::prev(above)->second;
    if (below && !in_range(below->begin)) below = nullptr;
    const bool another = above != regions_.end() && in_range(above->first);
    return another && (!below || above->first - at < at - below->end) ? &above->second : below;
}

bool Memory::was_freed(std::uintptr_t at) const {
    return std::ranges::any_of(freed_, [at](const Range& range) { return range.holds(at); });
}

void Memory::poison_shared() {
    for (auto& [begin, region] : regions_)
        if (region.space == Space::shared) std::memset(reinterpret_cast<void*>(begin), 0xff, region.end - begin);
}

void Memory::fill_all() {
    for (auto& [begin, region] : regions_) region.fill();
}

void Memory::forget(Space space) {
    std::erase_if(regions_, [space](const auto& entry) { return entry.second.space == space; });
}

}  // namespace recto::kernels::detail
