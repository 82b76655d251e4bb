#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include <recto/emulator/machine.hpp>

// The checks of each access of a kernel, and their messages.
namespace recto::kernels::detail {

std::string line(const void* return_address) {
    const std::string found = line_of(return_address);
    return found.empty() ? "" : " (" + found + ")";
}

std::string Machine::thread_name(std::uint32_t grid_thread) const {
    const auto name = [](std::uint32_t i, const dim3& extent) {
        if (extent.y == 1 && extent.z == 1) return std::to_string(i);
        const auto x = i % extent.x, y = i / extent.x % extent.y, z = i / extent.x / extent.y;
        return extent.z == 1 ? fmt::format("({}, {})", x, y) : fmt::format("({}, {}, {})", x, y, z);
    };
    return fmt::format("thread {} of block {}", name(grid_thread % count_, config_.block),
                       name(grid_thread / count_, config_.grid));
}

std::string Machine::waiting(unsigned thread) const {
    const Thread& t = threads_[thread];
    if (t.state == State::done) return thread_name(grid_thread(thread)) + " has returned";
    return fmt::format("{} waits at {}{}", thread_name(grid_thread(thread)), t.waits, line(t.where));
}

std::string Machine::name(const Region& region) const {
    if (!region.name.empty()) return region.name;
    for (std::size_t i = 0; call_ && i < call_->pointers.size(); ++i) {
        const auto at = reinterpret_cast<std::uintptr_t>(call_->pointers[i]);
        if (region.begin <= at && at < region.end) return fmt::format("argument {}", i + 1);
    }
    return "a buffer without a name";
}

std::string Machine::element(const Region& region, std::uintptr_t at) const {
    const auto index = std::intptr_t(at - region.begin) / std::intptr_t(region.element);
    return region.name.empty() ? fmt::format("element {} of {}", index, name(region))
                               : fmt::format("{}[{}]", region.name, index);
}

void Machine::access(std::uintptr_t at, unsigned bytes, bool store, bool atomic, const void* where) {
    if (!suspect_.sentence.empty()) resolve_suspect();
    const Fiber& mine = stacks_[now_];
    if (at - mine.stack_begin < mine.stack_end - mine.stack_begin || is_position(at)) return;
    Site& site = sites_.at(where, store, bytes);
    Region* region = site.region;
    if (!region || at < region->begin || at + bytes > region->end) {
        region = locate(at, bytes, store, region, where);
        if (!region) return;
        site.region = region;
        if (region->space != Space::constant) site.space = region->space;
    }
    if (at % bytes != 0)
        stop(Kind::misaligned,
             fmt::format("{} {} {} bytes at {}{}, an address that is not a multiple of {}", me(),
                         store ? "writes" : "reads", bytes, element(*region, at), line(where), bytes));
    if (region->grain == 0 || bytes < region->grain) region->refine(std::min(bytes, 4u));
    if (region->space == Space::constant) {
        if (!store) return;  // no thread writes constants, and their cache is not counted
        stop(Kind::out_of_range, fmt::format("{} writes {}{}, which is __constant__: kernels only read it", me(),
                                             element(*region, at), line(where)));
    }
    const std::size_t first = (at - region->begin) / region->grain,
                      last = (at + bytes - 1 - region->begin) / region->grain;
    for (std::size_t i = first; i <= last; ++i)
        look(*region, region->begin + i * region->grain, region->cells[i], store, atomic, where);
    if (!atomic) return sites_.touch(site, lane(), at);
    order_by_atomic(at);
    counts_.atomics += 1;
}

/// Whether the earlier access happens before the present one on every GPU, in whatever order it runs the threads.
bool Machine::ordered(const Touch& earlier, const Region& region) const {
    if (earlier.clock < (region.space == Space::shared ? block_began_ : launched_)) return true;
    if (earlier.thread == grid_thread(now_)) return true;
    if (const std::uint64_t block = earlier.thread / count_; block != block_)
        return std::ranges::any_of(acquired_, [&](std::uintptr_t address) {
            const auto list = released_.find(address);
            if (list == released_.end()) return false;
            const auto found = list->second.find(block);
            return found != list->second.end() && earlier.clock <= found->second;
        });
    const unsigned thread = earlier.thread % count_;
    return earlier.clock < (thread / 32 == now_ / 32 ? warp_clock_[now_ / 32] : last_barrier_);
}

void Machine::look(Region& region, std::uintptr_t at, Cell& cell, bool store, bool atomic, const void* where) {
    const bool known = region.space == Space::shared ? cell.write.clock >= block_began_ : cell.known;
    if (!known && (!store || atomic) && unwritten_.sentence.empty())
        unwritten_ = {fmt::format("{} reads {}{}, which {} has written", me(), element(region, at), line(where),
                                  region.space == Space::shared ? "no thread of the block" : "nobody"),
                      region.space};
    if (!ordered(cell.write, region) && !(atomic && cell.atomic)) {
        const std::string sentence = race(region, at, cell.write, true, store, where);
        if (!store || atomic || cell.atomic) stop_for_race(sentence);
        suspect_.sentence = sentence;
        suspect_.at = at;
        suspect_.bytes = region.grain;
        std::memcpy(suspect_.before, reinterpret_cast<void*>(at), region.grain);
    }
    const Touch now{grid_thread(now_), warp_clock_[now_ / 32], where};
    if (store) {
        for (const Touch& read : {cell.read, cell.other_read})
            if (!ordered(read, region)) stop_for_race(race(region, at, read, false, store, where));
        cell.write = now;
        cell.atomic = atomic;
        cell.known = true;
    } else {
        if (cell.read.thread != now.thread && !ordered(cell.read, region)) cell.other_read = cell.read;
        cell.read = now;
    }
}

void Machine::resolve_suspect() {
    const Suspect suspect = std::exchange(suspect_, {});
    if (std::memcmp(suspect.before, reinterpret_cast<void*>(suspect.at), suspect.bytes) != 0)
        stop_for_race(suspect.sentence);
}

/// A read of uninitialised memory is reported as a race if another thread was about to write there.
void Machine::stop_for_race(const std::string& sentence) {
    unwritten_ = {};
    stop(Kind::race, sentence);
}

std::string Machine::race(const Region& region, std::uintptr_t at, const Touch& earlier, bool earlier_store, bool store,
                          const void* where) const {
    const std::uint32_t other = earlier.thread % count_;
    const char* missing = earlier.thread / count_ != block_ ? "nothing orders the blocks of a launch but atomics"
                          : other / 32 == now_ / 32         ? "there is no __syncthreads() or __syncwarp() between"
                                                            : "there is no __syncthreads() between";
    const bool one_line = earlier_store && !store && line_of(earlier.where) == line_of(where);
    return fmt::format("race for {}: {} {} it{}, {} {} it{}, and {}{}", element(region, at),
                       thread_name(earlier.thread), earlier_store ? "wrote" : "read", line(earlier.where), me(),
                       store ? "writes" : "reads", line(where), missing,
                       one_line ? "; if this is a sum, it takes atomicAdd" : "");
}

/// An atomic after a __threadfence publishes everything its thread did before; a later atomic of another block at the
/// same address sees it.
void Machine::order_by_atomic(std::uintptr_t at) {
    if (threads_[now_].fenced) released_[at][block_] = clock_;
    if (std::ranges::find(acquired_, at) == acquired_.end()) acquired_.push_back(at);
}

void Machine::fence() { threads_[now_].fenced = true; }

void Machine::bad_index(const std::string& type, std::int64_t index, const std::string& where) {
    stop(Kind::out_of_range, fmt::format("{} uses the index {} ({}) in an array of type {}", me(), index, where, type));
}

void Machine::outside(const Region& region, std::uintptr_t at, unsigned bytes, bool store, const void* where) {
    const std::size_t many = (region.end - region.begin) / region.element;
    std::string wide = bytes > region.element ? fmt::format("{} bytes at ", bytes) : "";
    stop(Kind::out_of_range,
         fmt::format("{} {} {}{}{}, but {} has {} element{}", me(), store ? "writes" : "reads", wide,
                     element(region, at), line(where), name(region), many, many == 1 ? "" : "s"));
}

void Machine::enter_new(const void* function) {
    std::erase(entered_, function);
    entered_.push_back(function);
}

/// Whether it is an array of the kernel or of a function that the kernel has called. Arrays of other kernels may be
/// adjacent to it.
bool Machine::in_use(const Symbol& array) const {
    const auto owners = owners_of(array.begin);
    const auto holds = [&](const void* at) {
        return std::ranges::any_of(owners,
                                   [at](const Range& r) { return r.holds(reinterpret_cast<std::uintptr_t>(at)); });
    };
    return owners.empty() || holds(call_->kernel) || std::ranges::any_of(entered_, holds);
}

/// The buffer or array that an address outside of all of them probably belongs to.
Region* Machine::meant(std::uintptr_t at, unsigned bytes, const Region* last) {
    if (memory.was_freed(at)) return nullptr;
    if (Region* buffer = memory.near(at)) return buffer;
    const auto close = [at](std::uintptr_t begin, std::uintptr_t end) {
        return at - begin + 65536 < end - begin + 2 * 65536;
    };
    if (last && close(last->begin, last->end)) return memory.find(last->begin);
    for (const Symbol& array : shared_arrays_of(call_->kernel))
        if (close(array.begin, array.end)) {
            Region& untouched = memory.add(array, Space::shared);
            untouched.element = bytes;
            return &untouched;
        }
    return nullptr;
}

/// What contains the address. Stops the thread if nothing does; null for constants of the program.
Region* Machine::locate(std::uintptr_t at, unsigned bytes, bool store, const Region* last, const void* where) {
    if (Region* found = memory.find(at)) {
        if (at + bytes > found->end) outside(*found, at, bytes, store, where);
        return found;
    }
    if (in_shared_memory(at)) {
        if (const auto array = shared_array_at(at); array && in_use(*array)) return &memory.add(*array, Space::shared);
    } else if (in_program(at)) {
        const auto variable = variable_at(at);
        return variable ? &memory.add(*variable, variable->constant ? Space::constant : Space::variable) : nullptr;
    }
    if (const Region* buffer = meant(at, bytes, last)) outside(*buffer, at, bytes, store, where);
    const char* what = at < 4096              ? "through a null pointer"
                       : memory.was_freed(at) ? "a buffer that was freed"
                                              : "memory of the host";
    stop(Kind::host_pointer, fmt::format("{} {} {}{}", me(), store ? "writes" : "reads", what, line(where)));
}

}  // namespace recto::kernels::detail
