#include <fmt/format.h>

#include <recto/testing/cuda_on_cpu/machine.hpp>

// What each access of a kernel is held against, and the sentences.
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
    return fmt::format("{}[{}]", name(region), std::intptr_t(at - region.begin) / std::intptr_t(region.element));
}

void Machine::access(std::uintptr_t at, unsigned bytes, bool store, bool atomic, const void* where) {
    const Fiber& mine = stacks_[now_];
    if (at - mine.stack_begin < mine.stack_end - mine.stack_begin || is_position(at)) return;
    Site& site = sites_.at(where, store, bytes);
    Region* region = site.region;
    if (!region || at < region->begin || at + bytes > region->end) {
        region = locate(at, bytes, store, region, where);
        if (!region) return;
        site.region = region;
        site.space = region->space;
    }
    if (at % bytes != 0)
        stop(Kind::misaligned,
             fmt::format("{} {} {} bytes at {}{}, an address that is not a multiple of {}", me(),
                         store ? "writes" : "reads", bytes, element(*region, at), line(where), bytes));
    if (region->grain == 0 || bytes < region->grain) region->refine(std::min(bytes, 4u));
    const std::size_t first = (at - region->begin) / region->grain,
                      last = (at + bytes - 1 - region->begin) / region->grain;
    for (std::size_t i = first; i <= last; ++i)
        look(*region, region->begin + i * region->grain, region->cells[i], store, atomic, where);
    if (atomic)
        counts_.atomics += 1;
    else
        sites_.touch(site, lane(), at);
}

/// Is it sure that the earlier access came before the present one, however a GPU runs the threads?
bool Machine::ordered(const Touch& earlier, const Region& region) const {
    if (earlier.clock < (region.space == Space::shared ? block_began_ : launched_)) return true;
    if (earlier.thread == grid_thread(now_)) return true;
    if (earlier.thread / count_ != block_) return false;
    const unsigned thread = earlier.thread % count_;
    return earlier.clock < (thread / 32 == now_ / 32 ? warp_clock_[now_ / 32] : last_barrier_);
}

void Machine::look(Region& region, std::uintptr_t at, Cell& cell, bool store, bool atomic, const void* where) {
    const bool known = region.space == Space::shared ? cell.write.clock >= block_began_ : cell.known;
    if (!known && (!store || atomic))
        stop(Kind::uninitialised,
             fmt::format("{} reads {}{}, which {} has written", me(), element(region, at), line(where),
                         region.space == Space::shared ? "no thread of the block" : "nobody"));
    if (!ordered(cell.write, region) && !(atomic && cell.atomic)) race(region, at, cell.write, true, store, where);
    const Touch now{grid_thread(now_), warp_clock_[now_ / 32], where};
    if (store) {
        if (!ordered(cell.read, region)) race(region, at, cell.read, false, store, where);
        if (!ordered(cell.other_read, region)) race(region, at, cell.other_read, false, store, where);
        cell.write = now;
        cell.atomic = atomic;
        cell.known = true;
    } else {
        if (cell.read.thread != now.thread && !ordered(cell.read, region)) cell.other_read = cell.read;
        cell.read = now;
    }
}

void Machine::race(const Region& region, std::uintptr_t at, const Touch& earlier, bool earlier_store, bool store,
                   const void* where) {
    const std::uint32_t other = earlier.thread % count_;
    const char* missing =
        earlier.thread / count_ != block_ ? "nothing orders the blocks of a launch; a sum over blocks "
                                            "takes atomicAdd or a second launch"
        : other / 32 == now_ / 32 ? "there is no __syncthreads() or __syncwarp() between; lanes of a warp need one too"
                                  : "there is no __syncthreads() between";
    stop(Kind::race, fmt::format("a race for {}: {} {} it{}, {} {} it{}, and {}", element(region, at),
                                 thread_name(earlier.thread), earlier_store ? "wrote" : "read", line(earlier.where),
                                 me(), store ? "writes" : "reads", line(where), missing));
}

void Machine::outside(const Region& region, std::uintptr_t at, unsigned bytes, bool store, const void* where) {
    const std::size_t many = (region.end - region.begin) / region.element;
    std::string wide = bytes > region.element ? fmt::format("{} bytes at ", bytes) : "";
    stop(Kind::out_of_range,
         fmt::format("{} {} {}{}{}, but {} has {} element{}", me(), store ? "writes" : "reads", wide,
                     element(region, at), line(where), name(region), many, many == 1 ? "" : "s"));
}

/// What holds the address. Stops the thread when nothing does; null for constants of the program.
Region* Machine::locate(std::uintptr_t at, unsigned bytes, bool store, const Region* last, const void* where) {
    if (Region* found = memory.find(at)) {
        if (at + bytes > found->end) outside(*found, at, bytes, store, where);
        return found;
    }
    const bool shared = in_shared_memory(at);
    if (shared || in_program(at)) {
        if (const auto symbol = shared ? shared_array_at(at) : variable_at(at)) {
            if (shared) std::memset(reinterpret_cast<void*>(symbol->begin), 0xff, symbol->end - symbol->begin);
            Region region;
            region.space = shared ? Space::shared : Space::variable;
            region.name = symbol->name;
            region.begin = symbol->begin;
            region.end = symbol->end;
            region.filled = !shared;
            return &memory.add(std::move(region));
        }
        if (!shared) return nullptr;
    }
    const Region* near = memory.near(at);
    if (!near && last && at - last->begin + 65536 < last->end - last->begin + 2 * 65536) near = last;
    if (near) outside(*near, at, bytes, store, where);
    stop(Kind::host_pointer,
         fmt::format("{} {} address {:#x}{}, which is {}", me(), store ? "writes" : "reads", at, line(where),
                     at < 4096 ? "a null pointer" : "no memory of the device; a pointer of the host?"));
}

void* allocate(std::size_t bytes, std::size_t element, const std::string& name) {
    const Inside inside;
    const std::lock_guard lock(machine().mutex);
    return reinterpret_cast<void*>(machine().memory.allocate(bytes, unsigned(element), name).begin);
}

void release(void* device) noexcept {
    const Inside inside;
    const std::lock_guard lock(machine().mutex);
    if (device) machine().memory.release(reinterpret_cast<std::uintptr_t>(device));
}

void to_device(void* device, const void* host, std::size_t bytes) {
    const Inside inside;
    const std::lock_guard lock(machine().mutex);
    machine().raise_pending();
    if (bytes == 0) return;
    std::memcpy(device, host, bytes);
    machine().memory.find(reinterpret_cast<std::uintptr_t>(device))->fill();
}

void to_host(void* host, const void* device, std::size_t bytes) {
    const Inside inside;
    const std::lock_guard lock(machine().mutex);
    machine().raise_pending();
    if (bytes == 0) return;
    const Region& region = *machine().memory.find(reinterpret_cast<std::uintptr_t>(device));
    machine().check_written(region);
    std::memcpy(host, device, bytes);
}

void Machine::check_written(const Region& region) const {
    std::size_t missing = 0, first = 0;
    for (std::size_t i = region.cells.size(); i-- > 0;)
        if (!region.cells[i].known) ++missing, first = i;
    if (region.cells.empty() && !region.filled) missing = 1;
    if (missing)
        throw Mistake(Kind::uninitialised, fmt::format("Buffer::values: {} was never written",
                                                       element(region, region.begin + first * region.grain)));
}

Counts run(const Config& config, Call& call) {
    const Inside inside;
    const std::lock_guard lock(machine().mutex);
    machine().raise_pending();
    return machine().run(config, call);
}

void* dynamic_shared() {
    const Inside inside;
    return machine().dynamic_shared();
}

void atomic(const void* address, unsigned size, const void* caller) {
    if (mode != Mode::kernel) return;
    const Inside inside;
    if (machine().call().seen) machine().access(reinterpret_cast<std::uintptr_t>(address), size, true, true, caller);
}

}  // namespace recto::kernels::detail
