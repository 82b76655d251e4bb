#include <recto/emulator/traffic.hpp>

#include <algorithm>
#include <bit>

namespace recto::kernels::detail {
namespace {

/// How many different units of `unit` bytes the accesses touch; `at` is sorted.
long units(const std::vector<std::uintptr_t>& at, unsigned bytes, unsigned unit) {
    long count = 0;
    std::uintptr_t next = 0;  // the first unit not counted yet
    for (const std::uintptr_t a : at) {
        const std::uintptr_t first = std::max(a / unit, next), end = (a + bytes - 1) / unit + 1;
        if (first < end) count += long(end - first), next = end;
    }
    return count;
}

void count_global(Traffic& traffic, std::vector<std::uintptr_t>& at, unsigned bytes) {
    std::ranges::sort(at);
    const long distinct = units(at, bytes, 1);
    traffic.requests += 1;
    traffic.transactions += units(at, bytes, 128);
    traffic.sectors += units(at, bytes, 32);
    traffic.ideal_transactions += (distinct + 127) / 128;
    traffic.ideal_sectors += (distinct + 31) / 32;
}

/// The largest number of different words that the accesses need from one bank.
int conflict(std::vector<std::uintptr_t>& words) {
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    int bank[32] = {}, worst = 0;
    for (const std::uintptr_t word : words) worst = std::max(worst, ++bank[word % 32]);
    return worst;
}

/// Numbers of 8 bytes are served half a warp at a time, numbers of 16 bytes a quarter.
void count_shared(SharedTraffic& traffic, const Together& group, unsigned bytes) {
    const unsigned words_each = std::max(1u, bytes / 4), lanes = 32 / words_each;
    traffic.requests += 1;
    std::vector<std::uintptr_t> words;
    for (unsigned first = 0; first < 32; first += lanes) {
        words.clear();
        for (unsigned lane = first; lane < first + lanes; ++lane)
            if (group.lanes >> lane & 1)
                for (unsigned k = 0; k < words_each; ++k) words.push_back(group.at[lane] / 4 + k);
        if (words.empty()) continue;
        const int passes = conflict(words);
        traffic.passes += passes;
        traffic.ideal_passes += long(words.size() + 31) / 32;
        traffic.worst_conflict = std::max(traffic.worst_conflict, passes);
    }
}

void add(Traffic& to, const Traffic& more) {
    to.requests += more.requests;
    to.transactions += more.transactions;
    to.ideal_transactions += more.ideal_transactions;
    to.sectors += more.sectors;
    to.ideal_sectors += more.ideal_sectors;
}

void add(SharedTraffic& to, const SharedTraffic& more, const std::string& where) {
    to.requests += more.requests;
    to.passes += more.passes;
    to.ideal_passes += more.ideal_passes;
    if (more.worst_conflict > to.worst_conflict) {
        to.worst_conflict = more.worst_conflict;
        to.worst_where = where;
    }
}

}  // namespace

void Sites::clear() {
    sites_.clear();
    order_.clear();
    touched_.clear();
    std::ranges::fill(recent_, nullptr);
}

Site& Sites::at(const void* where, bool store, unsigned bytes) {
    Site*& recent = recent_[std::uintptr_t(where) % 256];
    if (recent && recent->where == where) return *recent;
    auto [found, fresh] = sites_.try_emplace(where);
    recent = &found->second;
    if (fresh) {
        recent->where = where;
        recent->store = store;
        recent->bytes = bytes;
        order_.push_back(recent);
    }
    return *recent;
}

void Sites::grow(Site& site) {
    if (site.together.empty()) touched_.push_back(&site);
    site.together.emplace_back();
}

void Sites::flush() {
    std::vector<std::uintptr_t> at;
    for (Site* site : touched_) {
        for (const Together& group : site->together) {
            if (site->space == Space::shared) {
                count_shared(site->shared, group, site->bytes);
                continue;
            }
            at.clear();
            for (std::uint32_t rest = group.lanes; rest; rest &= rest - 1)
                at.push_back(group.at[std::countr_zero(rest)]);
            count_global(site->global, at, site->bytes);
        }
        site->together.clear();
        std::ranges::fill(site->times, 0);
    }
    touched_.clear();
}

void Sites::report(Counts& counts) const {
    for (const Site* site : order_) {
        const std::string where = line_of(site->where);
        auto line = std::ranges::find_if(counts.lines,
                                         [&](const Line& l) { return l.where == where && l.store == site->store; });
        if (line == counts.lines.end()) {
            line = counts.lines.emplace(counts.lines.end());
            line->where = where;
            line->store = site->store;
        }
        add(line->global, site->global);
        add(line->shared, site->shared, where);
        add(site->store ? counts.stores : counts.loads, site->global);
        add(counts.shared, site->shared, where);
    }
}

}  // namespace recto::kernels::detail
