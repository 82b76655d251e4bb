#include <recto/emulator/machine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

// The variables that kernels read as threadIdx and so on. Kernels see them as constants; here they have other names,
// since the emulator writes them. They share one section, whose ends tell whether an address is one of them.
#define RECTO_POSITION __attribute__((section("recto_cuda_position")))
extern "C" {
RECTO_POSITION uint3 recto_cuda_threadIdx{}, recto_cuda_blockIdx{};
RECTO_POSITION dim3 recto_cuda_blockDim, recto_cuda_gridDim;
extern const char __start_recto_cuda_position[], __stop_recto_cuda_position[];
}

namespace recto::kernels {

Settings& settings() {
    static Settings all;
    return all;
}

namespace detail {
namespace {
// Steps after which another thread runs, so that a thread that waits in a loop cannot block it.
constexpr long turn = 1 << 17;

uint3 position(std::uint64_t i, const dim3& extent) {
    return {unsigned(i % extent.x), unsigned(i / extent.x % extent.y), unsigned(i / extent.x / extent.y)};
}
std::uint64_t count(const dim3& extent) { return std::uint64_t(extent.x) * extent.y * extent.z; }

void fiber_main() {
    Machine& self = machine();
    self.begin();
    mode = Mode::kernel;
    self.call().invoke(self.call());
    mode = Mode::emulator;
    self.finish();
}

}  // namespace

bool is_position(std::uintptr_t at) {
    const auto begin = reinterpret_cast<std::uintptr_t>(__start_recto_cuda_position);
    return at - begin < reinterpret_cast<std::uintptr_t>(__stop_recto_cuda_position) - begin;
}

thread_local Mode mode = Mode::host;
thread_local long steps_left = turn;

Machine& machine() {
    static Machine only;
    return only;
}

std::string Machine::kernel_name() const {
    const std::string name = function_name(call_->kernel);
    return name.empty() ? "launch" : name;
}

void Machine::refuse(Kind kind, const std::string& sentence) const {
    throw Mistake(kind, kernel_name() + ": " + sentence);
}

void Machine::check_config() const {
    const dim3 &grid = config_.grid, &block = config_.block;
    const auto shape = [](const dim3& d) { return fmt::format("{} x {} x {}", d.x, d.y, d.z); };
    if (count(grid) == 0) refuse(Kind::launch, "wanted at least one block, got a grid of " + shape(grid));
    if (count(block) == 0) refuse(Kind::launch, "wanted at least one thread in a block, got " + shape(block));
    if (grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535)
        refuse(Kind::launch, "wanted a grid of at most 2147483647 x 65535 x 65535 blocks, got " + shape(grid));
    if (block.x > 1024 || block.y > 1024 || block.z > 64)
        refuse(Kind::launch, "wanted a block of at most 1024 x 1024 x 64 threads, got " + shape(block));
    if (count(block) > 1024)
        refuse(Kind::launch,
               fmt::format("wanted at most 1024 threads in a block, got {} = {}", shape(block), count(block)));
    if (count(grid) * count(block) > 0xffffffff)
        refuse(Kind::launch, "the emulator wants at most 4294967295 threads in all, got more");
    if (counts_.shared_bytes > 48 * 1024)
        refuse(Kind::launch,
               fmt::format("wanted at most 49152 bytes of shared memory in a block, got {}", counts_.shared_bytes));
}

void Machine::check_pointers() {
    for (std::size_t i = 0; i < call_->pointers.size(); ++i) {
        const auto at = reinterpret_cast<std::uintptr_t>(call_->pointers[i]);
        if (memory.was_freed(at) || (at && !memory.in_range(at) && !in_program(at)))
            refuse(Kind::host_pointer,
                   fmt::format("argument {} points to {}; wanted a Buffer", i + 1,
                               memory.in_range(at) ? "a buffer that was freed" : "memory of the host"));
    }
}

Counts Machine::run(const Config& config, Call& call) {
    config_ = config;
    call_ = &call;
    counts_ = Counts{};
    counts_.counted = call.seen;
    counts_.shared_bytes = config.shared_bytes;
    for (const Symbol& array : shared_arrays_of(call.kernel)) counts_.shared_bytes += array.end - array.begin;
    struct End {  // cleans up, also after an exception
        Machine& self;
        ~End() {
            if (self.dynamic_) self.memory.release(self.dynamic_->begin);
            self.dynamic_ = nullptr;
            self.memory.forget(Space::shared);
            self.memory.forget(Space::variable);
            self.memory.forget(Space::constant);
            self.call_ = nullptr;
        }
    } end{*this};
    check_config();
    check_pointers();
    if (!call.seen) memory.fill_all();

    count_ = unsigned(count(config.block));
    warps_ = (count_ + 31) / 32;
    recto_cuda_gridDim = config.grid;
    recto_cuda_blockDim = config.block;
    stacks_.need(count_);
    threads_.resize(count_);
    warp_clock_.resize(warps_);
    sites_.clear();
    released_.clear();
    entered_.clear();
    suspect_ = {};
    unwritten_ = {};
    launched_ = ++clock_;
    if (config.shared_bytes) {
        dynamic_ = &memory.allocate(config.shared_bytes, 1, "dynamic_shared()");
        dynamic_->space = Space::shared;
    }
    const auto blocks = unsigned(count(config.grid));
    for (unsigned i = 0; i < blocks; ++i) {
        begin_block(in_order(i, blocks, 0));
        run_block();
    }
    pass(&ended_);
    raise_unwritten(true);
    sites_.report(counts_);
    return counts_;
}

/// The i-th of n in the order chosen in settings().
unsigned Machine::in_order(unsigned i, unsigned n, std::uint64_t salt) const {
    const unsigned order = settings().order;
    if (order == 0) return i;
    if (order == 1) return n - 1 - i;
    // A permutation without a table: on the next power of two, multiply by an odd number and mix the upper bits into
    // the lower ones, three times; repeat while the result is out of range.
    const unsigned bits = std::max(2u, unsigned(std::bit_width(n - 1))),
                   keep = unsigned((std::uint64_t(1) << bits) - 1);
    const auto seed = unsigned((order + salt) * 0x9e3779b97f4a7c15u >> 32);
    do {
        for (unsigned round = 0; round < 3; ++round) {
            i = (i * ((seed >> round) * 2 + 1) + (seed >> (round + 7))) & keep;
            i ^= i >> (bits + 1) / 2;
        }
    } while (i >= n);
    return i;
}

void Machine::begin_block(std::uint64_t block) {
    block_ = block;
    recto_cuda_blockIdx = position(block, config_.grid);
    acquired_.clear();
    advance_clock();
    block_began_ = last_barrier_;
    for (unsigned i = 0; i < count_; ++i) {
        threads_[i] = Thread{};
        threads_[i].steps = turn;
        stacks_.begin(i, fiber_main);
    }
    memory.poison_shared();
    pass(&ended_);
    let_pass(&begun_);
}

/// From here on no other thread can still write the element that was read too early, so it was uninitialised.
void Machine::raise_unwritten(bool also_global) {
    if (!unwritten_.sentence.empty() && (also_global || unwritten_.space == Space::shared))
        refuse(Kind::uninitialised, unwritten_.sentence);
}

void Machine::advance_clock() {
    last_barrier_ = ++clock_;
    std::ranges::fill(warp_clock_, last_barrier_);
}

void Machine::run_block() {
    for (;;) {
        bool any = false;
        for (unsigned i = 0; i < warps_; ++i) {
            const unsigned warp = in_order(i, warps_, clock_);
            while (run_warp(warp)) any = true;
            sites_.flush();
        }
        for (Thread& thread : threads_)
            if (thread.state == State::yielded) thread.state = State::ready, any = true;
        if (any) continue;
        if (std::ranges::all_of(threads_, [](const Thread& t) { return t.state == State::done; }))
            return raise_unwritten(false);
        finish_barrier();
    }
}

/// Runs each lane that is ready. Returns whether any lane is ready afterwards.
bool Machine::run_warp(unsigned warp) {
    const unsigned first = warp * 32, lanes = std::min(32u, count_ - first);
    for (unsigned i = 0; i < lanes; ++i) {
        const unsigned thread = first + in_order(i, lanes, clock_ + warp);
        if (threads_[thread].state == State::ready) resume(thread);
    }
    return finish_warp_operations(warp);
}

void Machine::resume(unsigned thread) {
    now_ = thread;
    recto_cuda_threadIdx = position(thread, config_.block);
    steps_left = threads_[thread].steps;
    step(host_, stacks_[thread]);
    threads_[thread].steps = steps_left;
    if (!mistake_) return;
    pass(&ended_);
    throw Mistake(*std::exchange(mistake_, std::nullopt));
}

void Machine::begin() {
    arrived(host_);
    pass(&begun_);
}

void Machine::leave(bool for_good) { step(stacks_[now_], host_, for_good); }

void Machine::give_way() {
    threads_[now_].state = State::yielded;
    leave();
}

void Machine::finish() {
    if (!suspect_.sentence.empty()) resolve_suspect();
    threads_[now_].state = State::done;
    let_pass(&ended_);
    leave(true);
}

void Machine::note(Kind kind, const std::string& sentence) {
    const bool because = !unwritten_.sentence.empty();  // a later mistake is a consequence of the uninitialised read
    mistake_.emplace(because ? Kind::uninitialised : kind,
                     kernel_name() + ": " + (because ? unwritten_.sentence : sentence));
}

void Machine::give_up() {
    let_pass(&ended_);
    leave(true);
    std::abort();  // unreachable
}

// The thread's stack is abandoned without destructors, so these functions should own little.
void Machine::stop(Kind kind, const std::string& sentence) {
    note(kind, sentence);
    give_up();
}

void Machine::out_of_steps(const void* where) {
    if (!suspect_.sentence.empty()) resolve_suspect();
    Thread& me = threads_[now_];
    me.steps_before += turn;
    if (me.steps_before >= settings().steps)
        stop(Kind::endless, fmt::format("{} has not ended after {} steps{}: an endless loop, or one that waits for a "
                                        "block that has not begun",
                                        this->me(), me.steps_before, line(where)));
    steps_left = turn;
    give_way();
}

void* Machine::dynamic_shared() const { return dynamic_ ? reinterpret_cast<void*>(dynamic_->begin) : nullptr; }

}  // namespace detail
}  // namespace recto::kernels
