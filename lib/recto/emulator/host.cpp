#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include <recto/emulator/machine.hpp>

// The host's interface, and its checks.
namespace recto::kernels::detail {

Watched watched;

void Machine::raise_pending() {
    if (pending_) throw Mistake(*std::exchange(pending_, std::nullopt));
}

void Machine::host_mistake(Kind kind, const std::string& sentence) {
    if (!pending_) pending_.emplace(kind, "host code: " + sentence);
}

void Machine::host_access(std::uintptr_t at, bool store, const void* where) {
    const char* does = store ? "writes" : "reads";
    if (const Region* region = memory.in_range(at) ? memory.find(at) : nullptr)
        return host_mistake(Kind::host_pointer,
                            fmt::format("it {} {}{}, which is memory of the device; wanted {}", does,
                                        element(*region, at), line(where), store ? "set()" : "values()"));
    for (const Copy& copy : copies_)
        if (copy.host.holds(at) && (copy.to_host || store))
            return host_mistake(Kind::race, fmt::format("it {} values{} that a stream still copies{}; wanted "
                                                        "synchronize() before",
                                                        does, line(where), copy.to_host ? "" : " from there"));
}

void Machine::begin_copy(const Copy& copy) {
    copies_.push_back(copy);
    const Range all = watched.copies.bytes ? watched.copies : copy.host;
    const std::uintptr_t begin = std::min(all.begin, copy.host.begin);
    watched.copies = {begin, std::max(all.begin + all.bytes, copy.host.begin + copy.host.bytes) - begin};
}

void Machine::end_copies(const void* stream) {
    std::erase_if(copies_, [stream](const Copy& copy) { return copy.stream == stream; });
    if (copies_.empty()) watched.copies = {};
}

void Machine::check_written(const Region& region) const {
    const std::size_t all = (region.end - region.begin) / region.element;
    std::size_t missing = region.cells.empty() && !region.filled ? all : 0, first = 0, counted = all;
    for (std::size_t i = region.cells.size(); i-- > 0;) {
        const std::size_t element = i * region.grain / region.element;
        if (region.cells[i].known) continue;
        missing += element != counted;
        first = counted = element;
    }
    if (missing)
        throw Mistake(Kind::uninitialised,
                      fmt::format("values: wanted elements that were written, got {} of {} that never were, from {} on",
                                  missing, all, element(region, region.begin + first * region.element)));
}

namespace {
/// The emulator; one thread of the host uses it at a time.
struct Entered {
    Inside inside;
    std::lock_guard<std::recursive_mutex> lock{machine().mutex};
    Machine* operator->() const { return &machine(); }
};
Region& region_of(const void* device) { return *machine().memory.find(reinterpret_cast<std::uintptr_t>(device)); }
Range range_of(const void* host, std::size_t bytes) { return {reinterpret_cast<std::uintptr_t>(host), bytes}; }
}  // namespace

void* allocate(std::size_t bytes, std::size_t element, const std::string& name) {
    const Entered self;
    return reinterpret_cast<void*>(self->memory.allocate(bytes, unsigned(element), name).begin);
}

void release(void* device) noexcept {
    const Entered self;
    if (device) self->memory.release(reinterpret_cast<std::uintptr_t>(device));
}

// Kernels and copies run at once, so each stream is in order. Accesses that would be too early on a GPU are detected.
void* new_stream() { return new char; }

void end_stream(void* stream) noexcept {
    const Entered self;
    self->end_copies(stream);
    delete static_cast<char*>(stream);
}

void synchronize(void* stream) {
    const Entered self;
    self->raise_pending();
    self->end_copies(stream);
}

void to_device(void* device, const void* host, std::size_t bytes, void* stream) {
    const Entered self;
    self->raise_pending();
    if (bytes == 0) return;
    std::memcpy(device, host, bytes);
    if (settings().copied) settings().copied(device, bytes, false);
    region_of(device).fill();
    if (stream) self->begin_copy({stream, range_of(host, bytes), false});
}

void to_host(void* host, const void* device, std::size_t bytes, void* stream) {
    const Entered self;
    self->raise_pending();
    if (bytes == 0) return;
    self->check_written(region_of(device));
    std::memcpy(host, device, bytes);
    if (settings().copied) settings().copied(host, bytes, true);
    if (stream) self->begin_copy({stream, range_of(host, bytes), true});
}

Counts run(const Config& config, Call& call) {
    const Entered self;
    self->raise_pending();
    const Counts counts = self->run(config, call);
    if (settings().after) settings().after(config, counts);
    return counts;
}

}  // namespace recto::kernels::detail
