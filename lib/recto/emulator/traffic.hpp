#pragma once
/// @file
/// Counts the memory traffic of a warp's lanes together.
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <recto/emulator/cuda_on_cpu.hpp>
#include <recto/emulator/memory.hpp>

namespace recto::kernels::detail {

/// The addresses of one warp in one execution of one instruction.
struct Together {
    std::uint32_t lanes = 0;
    std::uintptr_t at[32];
};

/// An instruction that reads or writes memory.
struct Site {
    const void* where = nullptr;  ///< a return address
    bool store = false;
    unsigned bytes = 0;
    Region* region = nullptr;  ///< the last region touched: most instructions touch only one
    Space space = Space::global;
    std::uint32_t times[32] = {};    ///< how often each lane ran it since the last flush
    std::vector<Together> together;  ///< entry n has the n-th execution of every lane
    Traffic global;
    SharedTraffic shared;
};

/// All instructions of a launch.
class Sites {
public:
    void clear();
    Site& at(const void* where, bool store, unsigned bytes);  ///< The instruction at this return address.
    /// Records that a lane accesses an address.
    void touch(Site& site, unsigned lane, std::uintptr_t at) {
        const std::uint32_t time = site.times[lane]++;
        if (time >= site.together.size()) grow(site);
        site.together[time].lanes |= 1u << lane;
        site.together[time].at[lane] = at;
    }
    void flush();  ///< Counts the accesses since the last flush, then clears them.
    void report(Counts& counts) const;

private:
    void grow(Site& site);
    std::vector<Site*> order_, touched_;
    std::unordered_map<const void*, Site> sites_;
    Site* recent_[256] = {};  ///< indexed by the lower bits of the address
};

}  // namespace recto::kernels::detail
