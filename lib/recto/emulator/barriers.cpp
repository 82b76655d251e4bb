#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <recto/emulator/machine.hpp>

namespace recto::kernels::detail {

std::uint64_t Machine::wait(State state, const char* what, unsigned mask, std::uint64_t bits, int source,
                            const void* where) {
    if (!suspect_.sentence.empty()) resolve_suspect();
    Thread& me = threads_[now_];
    if (state == State::at_warp && !(mask >> lane() & 1)) {
        note(Kind::shuffle, fmt::format("{} calls {}{} with the mask {:#010x}, which does not name its own lane, {}",
                                        this->me(), what, line(where), mask, lane()));
        give_up();
    }
    me.state = state;
    me.waits = what;
    me.where = where;
    me.mask = mask;
    me.bits = bits;
    me.source = source;
    void* token = state == State::at_barrier ? static_cast<void*>(&barrier_[counts_.barriers % 2])
                                             : &warp_tokens_[now_ / 32 * 2 + warp_clock_[now_ / 32] % 2];
    let_pass(token);
    leave();
    pass(token);
    return threads_[now_].bits;
}

/// Resumes the lanes whose operation is complete: every lane named by its mask has arrived or returned.
bool Machine::finish_warp_operations(unsigned warp) {
    const unsigned first = warp * 32, lanes = std::min(32u, count_ - first);
    bool any = false;
    for (unsigned i = 0; i < lanes; ++i) {
        const Thread& one = threads_[first + i];
        if (one.state != State::at_warp) continue;
        std::uint32_t arrived = 0;
        bool all = true;
        for (unsigned j = 0; j < lanes; ++j) {
            const Thread& other = threads_[first + j];
            if (!(one.mask >> j & 1) || other.state == State::done) continue;
            all =
                all && other.state == State::at_warp && other.mask == one.mask && !std::strcmp(other.waits, one.waits);
            arrived |= 1u << j;
        }
        if (!all) continue;
        finish_warp_operation(warp, arrived);
        any = true;
    }
    return any;
}

void Machine::finish_warp_operation(unsigned warp, std::uint32_t lanes) {
    const unsigned first = warp * 32;
    std::uint64_t brought[32] = {}, votes = 0;
    for (unsigned i = 0; i < 32; ++i) {
        if (!(lanes >> i & 1)) continue;
        brought[i] = threads_[first + i].bits;
        votes |= std::uint64_t(brought[i] != 0) << i;
    }
    for (unsigned i = 0; i < 32; ++i) {
        if (!(lanes >> i & 1)) continue;
        Thread& me = threads_[first + i];
        me.state = State::ready;
        if (me.source < 0) {
            me.bits = votes << 32 | lanes;
            continue;
        }
        const auto source = unsigned(me.source);
        me.bits = brought[source];
        if (lanes >> source & 1) continue;
        const char* why = first + source >= count_                        ? "the block has no such thread"
                          : threads_[first + source].state == State::done ? "that thread has returned"
                                                                          : "the mask does not name it";
        refuse(Kind::shuffle, fmt::format("{} takes the value of lane {} by {}{}, but {}",
                                          thread_name(grid_thread(first + i)), source, me.waits, line(me.where), why));
    }
    clock_ = std::max(clock_, ++warp_clock_[warp]);
}

/// Called when no thread can continue. Resumes all threads if all wait at the same barrier.
void Machine::finish_barrier() {
    const auto at = [this](State state) {
        return unsigned(std::ranges::find_if(threads_, [state](const Thread& t) { return t.state == state; }) -
                        threads_.begin());
    };
    // One of the lanes that it waits for will never arrive.
    if (const unsigned one = at(State::at_warp); one < count_) {
        const unsigned first = one / 32 * 32;
        for (unsigned j = 0; j < 32; ++j) {
            const unsigned other = first + j;
            if (!(threads_[one].mask >> j & 1) || other >= count_ || threads_[other].state == State::done) continue;
            if (threads_[other].state == State::at_warp && threads_[other].mask == threads_[one].mask &&
                !std::strcmp(threads_[other].waits, threads_[one].waits))
                continue;
            refuse(Kind::shuffle, fmt::format("{} with the mask {:#010x}, which names lane {}, but {}", waiting(one),
                                              threads_[one].mask, j, waiting(other)));
        }
    }
    const unsigned one = at(State::at_barrier), gone = at(State::done);
    if (gone < count_)
        refuse(Kind::divergent_barrier,
               fmt::format("{}, but {} has returned; all threads of a block must reach the barrier", waiting(one),
                           thread_name(grid_thread(gone))));
    raise_unwritten(false);
    std::uint64_t true_for = 0;
    for (unsigned i = 0; i < count_; ++i) {
        // The compiler may have duplicated a barrier, so that one line has several addresses.
        if (threads_[i].where != threads_[one].where && (line_of(threads_[i].where) != line_of(threads_[one].where) ||
                                                         std::strcmp(threads_[i].waits, threads_[one].waits)))
            refuse(Kind::divergent_barrier,
                   fmt::format("{}, but {}; all threads of a block must reach the same barrier", waiting(one),
                               waiting(i)));
        true_for += threads_[i].bits != 0;
    }
    for (Thread& thread : threads_) thread.bits = true_for, thread.state = State::ready;
    counts_.barriers += 1;
    advance_clock();
}

std::uint64_t shuffle(Shuffle kind, unsigned mask, std::uint64_t bits, int lane, int width, const void* caller) {
    const Inside inside;
    Machine& self = machine();
    constexpr const char* names[] = {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"};
    const int me = int(self.lane()), first = me / width * width;
    int source = me;
    if (kind == Shuffle::from) source = first + (lane & (width - 1));
    if (kind == Shuffle::up && me - lane >= first) source = me - lane;
    if (kind == Shuffle::down && me + lane < first + width) source = me + lane;
    if (kind == Shuffle::exclusive_or && (me ^ lane) < first + width) source = me ^ lane;
    return self.wait(State::at_warp, names[int(kind)], mask, bits, source, caller);
}

void atomic(const void* address, unsigned size, const void* caller) {
    const Inside inside;
    if (machine().call().seen)
        machine().access(reinterpret_cast<std::uintptr_t>(address), size, true, true, caller);
    else
        machine().give_way();  // steps are not counted here: yields, so that a waiting loop can end
}

void* dynamic_shared() {
    const Inside inside;
    return machine().dynamic_shared();
}

}  // namespace recto::kernels::detail

namespace {
using recto::kernels::detail::Inside, recto::kernels::detail::State, recto::kernels::detail::machine;

std::uint64_t barrier(const char* what, int condition, const void* caller) {
    const Inside inside;
    return machine().wait(State::at_barrier, what, 0, condition != 0, -1, caller);
}
std::uint64_t vote(const char* what, unsigned mask, int condition, const void* caller) {
    const Inside inside;
    return machine().wait(State::at_warp, what, mask, condition != 0, -1, caller);
}
}  // namespace

void __syncthreads() { barrier("__syncthreads()", 0, __builtin_return_address(0)); }
int __syncthreads_count(int condition) {
    return int(barrier("__syncthreads_count()", condition, __builtin_return_address(0)));
}
int __syncthreads_and(int condition) {
    return barrier("__syncthreads_and()", !condition, __builtin_return_address(0)) == 0;
}
int __syncthreads_or(int condition) {
    return barrier("__syncthreads_or()", condition, __builtin_return_address(0)) != 0;
}
void __threadfence() {
    const Inside inside;
    machine().fence();
}
void __threadfence_block() {}
void __syncwarp(unsigned mask) { vote("__syncwarp", mask, 0, __builtin_return_address(0)); }
unsigned __ballot_sync(unsigned mask, int condition) {
    return unsigned(vote("__ballot_sync", mask, condition, __builtin_return_address(0)) >> 32);
}
int __all_sync(unsigned mask, int condition) {
    return vote("__all_sync", mask, !condition, __builtin_return_address(0)) >> 32 == 0;
}
int __any_sync(unsigned mask, int condition) {
    return vote("__any_sync", mask, condition, __builtin_return_address(0)) >> 32 != 0;
}
