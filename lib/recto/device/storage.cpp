#include <recto/device/storage.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

#include <recto/device/asked.hpp>
#include <recto/device/block_cache.hpp>
#include <recto/device/cuda/memory.hpp>
#include <recto/device/recording.hpp>

namespace RECTO {
namespace {

std::atomic<std::size_t> in_use = 0, most = 0;
std::atomic<bool> poison = false, guarded = false;
std::atomic<std::size_t> overwritten = 0;

constexpr int nan_byte = 0xFF;                      // all bits set is a NaN
constexpr std::size_t guard_bytes = 256;            // preserves the alignment that the GPU's libraries need
constexpr std::size_t huge = std::size_t(2) << 20;  // bytes of a large page

void* fresh(std::size_t bytes) {
    if (bytes < huge) return std::aligned_alloc(64, bytes);
    void* block = std::aligned_alloc(huge, (bytes + huge - 1) / huge * huge);
    if (block) madvise(block, bytes, MADV_HUGEPAGE);  // large pages mean fewer address translations
    return block;
}

/// Free host blocks, by size. Their total never exceeds the peak of the memory in use: a training step frees everything
/// at its end and soon needs it again, and clearing fresh pages would take a tenth of its time.
class Shelf {
public:
    void* take(std::size_t bytes) {
        {
            const std::lock_guard lock(mutex_);
            if (auto found = blocks_.find(bytes); found != blocks_.end() && !found->second.empty()) {
                void* block = found->second.back();
                found->second.pop_back();
                kept_ -= bytes;
                lend(bytes);
                return block;
            }
        }
        void* block = fresh(bytes);
        const std::lock_guard lock(mutex_);
        if (block) lend(bytes);
        return block;
    }
    void put(void* block, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        lent_ -= bytes;
        if (kept_ + bytes > most_) return std::free(block);
        kept_ += bytes;
        blocks_[bytes].push_back(block);
    }

private:
    std::mutex mutex_;
    std::unordered_map<std::size_t, std::vector<void*>> blocks_;
    std::size_t kept_ = 0, lent_ = 0, most_ = 0;  // bytes: cached, in use, and the peak of those in use

    void lend(std::size_t bytes) {
        lent_ += bytes;
        most_ = std::max(most_, lent_);
    }
};

// Never destroyed: tensors with static lifetime may free their memory after every other object.
Shelf& shelf() {
    static Shelf& instance = *new Shelf;
    return instance;
}

/// Sizes are rounded up to one of four steps per power of two, so that freed blocks fit later requests.
std::size_t rounded(std::size_t bytes) {
    const std::size_t step = std::max<std::size_t>(64, std::bit_floor(bytes | 1) / 4);
    return (bytes + step - 1) / step * step;
}

void fill(void* to, Device device, std::size_t bytes) {
    if (device == Device::cuda) return cuda::fill(to, nan_byte, bytes);
    std::memset(to, nan_byte, bytes);
}

/// Whether a guard is unchanged. Also false if a broken device cannot be read. What a GPU's kernels reported waits for the
/// next read of a result.
bool untouched(const void* from, Device device, std::size_t bytes) noexcept {
    std::vector<unsigned char> here(bytes);
    try {
        if (device == Device::cuda)
            cuda::read(here.data(), from, bytes);
        else
            copy_bytes(here.data(), Device::cpu, from, device, bytes);
    } catch (const Error&) {
        return false;
    }
    return std::ranges::all_of(here, [](unsigned char b) { return b == nan_byte; });
}

}  // namespace

BlockCache& block_cache(Device device) {
    static BlockCache& real =
        *new BlockCache("cuda", {cuda::allocate, [](void* block, std::size_t) { cuda::release(block); }, cuda::left});
    if (device == Device::cuda) return real;
    static BlockCache& simulated =
        *new BlockCache("sim", {[](std::size_t bytes) { return std::aligned_alloc(64, bytes); },
                                [](void* block, std::size_t) { std::free(block); }, [] { return std::size_t(0); }});
    check(device == Device::sim, "block_cache: wanted sim or cuda, got {}", device);
    return simulated;
}

Storage::Storage(std::size_t bytes, Device device) : bytes_(bytes), guard_(guarded ? guard_bytes : 0), device_(device) {
    check(std::uint64_t(bytes) <= std::uint64_t(1) << 48, "Storage: no machine has {} bytes", bytes);
    require(device);
    if (detail::memory_asked) detail::memory_asked();
    void* start = device == Device::cpu ? shelf().take(block()) : block_cache(device).take(block());
    check(start != nullptr, "Storage: wanted {} bytes on {}, got none", bytes, device);
    data_ = static_cast<char*>(start) + guard_;
    const std::size_t now = in_use += room();
    for (std::size_t seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    if (poison || guard_ > 0) fill(start, device, block());
}

std::size_t Storage::room() const { return guard_ > 0 ? bytes_ : rounded(bytes_); }
std::size_t Storage::block() const { return rounded(bytes_ + 2 * guard_); }

Storage::~Storage() {
    in_use -= room();
    char* start = static_cast<char*>(data_) - guard_;
    const char* end = static_cast<char*>(data_) + bytes_;
    if (guard_ > 0 && !(untouched(start, device_, guard_) && untouched(end, device_, block() - bytes_ - guard_)))
        ++overwritten;
    if (device_ == Device::cpu)
        shelf().put(start, block());
    else
        block_cache(device_).put(start, block());
}

void Storage::remember(std::size_t begin, std::size_t end) {
    constexpr std::size_t most = 64;  // separate parts: enough for the weights of a model in one block
    std::erase_if(parts_, [&](const Change& c) { return begin <= c.begin && c.end <= end; });
    if ((begin == 0 && end == bytes_) || parts_.size() == most) {
        parts_.clear();
        whole_ = version_;
    } else {
        parts_.push_back({version_, begin, end});
    }
}

bool Storage::changed_since(std::uint64_t version, std::size_t begin, std::size_t end) const {
    return whole_ > version || std::ranges::any_of(parts_, [&](const Change& c) {
               return c.version > version && c.begin < end && begin < c.end;
           });
}

namespace {

struct CopyBytes {
    void* to;
    const void* from;
    std::size_t bytes;
};

}  // namespace

void copy_bytes(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes, const char* who) {
    // What reads from a GPU waits for the kernels before it, which may have refused a value, even if it reads no number.
    const bool reads = from_device == Device::cuda && to_device == Device::cpu;
    if (bytes == 0 ? !reads : to == from) return;
    if (to_device != from_device) detail::refuse_in_capture(who);
    if (to_device == Device::cuda || from_device == Device::cuda)
        return cuda::copy(to, to_device == Device::cuda, from, from_device == Device::cuda, bytes);
    const CopyBytes copy{to, from, bytes};
    const auto run = [](Index, const void* what) {
        const auto& c = *static_cast<const CopyBytes*>(what);
        std::memmove(c.to, c.from, c.bytes);
    };
    if (to_device == Device::cpu || from_device == Device::cpu) return run(1, &copy);
    detail::run_on_sim(run, 1, &copy, sizeof copy);
}

MemoryUse memory_use() { return {in_use, most}; }
void reset_memory_peak() { most = in_use.load(); }
bool poison_new_memory(bool on) { return poison.exchange(on); }
bool guard_new_memory(bool on) { return guarded.exchange(on); }
std::size_t overwritten_guards() { return overwritten; }

}  // namespace RECTO
