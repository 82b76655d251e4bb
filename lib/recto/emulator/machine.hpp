#pragma once
/// @file
/// The emulated GPU: runs the blocks one after another, their threads in turn, and checks what the threads do.
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include <recto/emulator/cuda_on_cpu.hpp>
#include <recto/emulator/fiber.hpp>
#include <recto/emulator/memory.hpp>
#include <recto/emulator/traffic.hpp>

namespace recto::kernels::detail {

enum class State { ready, yielded, at_barrier, at_warp, done };

/// A thread of the block, and the operation it waits for.
struct Thread {
    State state = State::ready;
    bool fenced = false;          ///< whether it passed a __threadfence
    long steps = 0;               ///< steps it may still run before the next check
    long steps_before = 0;        ///< steps it ran before that
    const char* waits = nullptr;  ///< `__syncthreads()`
    const void* where = nullptr;  ///< the return address of the waiting call
    unsigned mask = 0;            ///< the lanes it waits for
    std::uint64_t bits = 0;       ///< its own bits, then the received ones
    int source = -1;              ///< the lane that a shuffle reads from; -1 for operations that combine all lanes
};

/// Whether host code, a kernel or the emulator runs on this host thread. Hooks do nothing in the emulator's own code.
enum class Mode { host, kernel, emulator };
extern thread_local Mode mode;
extern thread_local long steps_left;  ///< decremented by every straight piece of a kernel's code

/// Whether the address is threadIdx, blockIdx, blockDim or gridDim, whose reads clang reports.
bool is_position(std::uintptr_t address);

/// ` (transpose.cu:12)`, or empty if the line is unknown.
std::string line(const void* return_address);

/// While an Inside exists, the emulator runs.
struct Inside {
    Mode before = std::exchange(mode, Mode::emulator);
    ~Inside() { mode = before; }
};

/// Two threads wrote to the same place. It is a race only if they wrote different values, which the next step shows.
struct Suspect {
    std::string sentence;  ///< the message; empty for none
    std::uintptr_t at = 0;
    unsigned bytes = 0;
    unsigned char before[4] = {};
};

/// The first read of uninitialised memory: a mistake of its own, unless it is half of a race.
struct Unwritten {
    std::string sentence;  ///< the message; empty for none
    Space space = Space::global;
};

/// Host memory that a stream still reads or writes.
struct Copy {
    void* stream;
    Range host;
    bool to_host;
};

/// Memory that host code must not access: the device's memory, and host memory in pending copies. Empty until the first
/// use of the device.
struct Watched {
    Range device, copies;
};
extern Watched watched;

class Machine {
public:
    Memory memory;
    std::recursive_mutex mutex;

    Machine() { watched.device = memory.range(); }
    Counts run(const Config& config, Call& call);

    // The host's side. A mistake of host code cannot be thrown where it happens; the next call of the emulator throws
    // it.
    void raise_pending();
    void host_mistake(Kind kind, const std::string& sentence);
    void host_access(std::uintptr_t at, bool store, const void* where);
    void begin_copy(const Copy& copy);
    void end_copies(const void* stream);
    void check_written(const Region& region) const;  ///< Throws unless every element was written.

    // Called from a kernel's thread.
    void enter(const void* function) {
        if (entered_.empty() || entered_.back() != function) enter_new(function);
    }
    void access(std::uintptr_t at, unsigned bytes, bool store, bool atomic, const void* where);
    void bad_index(const std::string& type, std::int64_t index, const std::string& where);
    std::uint64_t wait(State state, const char* what, unsigned mask, std::uint64_t bits, int source, const void* where);
    void fence();
    void begin();
    void give_way();
    void out_of_steps(const void* where);
    void finish();
    void* dynamic_shared() const;
    unsigned lane() const { return now_ % 32; }
    Call& call() { return *call_; }

private:
    void check_config() const;
    void check_pointers();
    void begin_block(std::uint64_t block);
    void run_block();
    bool run_warp(unsigned warp);
    void resume(unsigned thread);
    void leave(bool for_good = false);  ///< Switches from the thread to the code that resumed it.
    bool finish_warp_operations(unsigned warp);
    void finish_warp_operation(unsigned warp, std::uint32_t lanes);
    void finish_barrier();
    void advance_clock();
    unsigned in_order(unsigned i, unsigned n, std::uint64_t salt) const;

    Region* locate(std::uintptr_t at, unsigned bytes, bool store, const Region* last, const void* where);
    void look(Region& region, std::uintptr_t at, Cell& cell, bool store, bool atomic, const void* where);
    bool ordered(const Touch& earlier, const Region& region) const;
    void order_by_atomic(std::uintptr_t at);
    void resolve_suspect();
    [[noreturn]] void stop_for_race(const std::string& sentence);
    void raise_unwritten(bool also_global);
    void enter_new(const void* function);
    bool in_use(const Symbol& array) const;
    Region* meant(std::uintptr_t at, unsigned bytes, const Region* last);
    std::string race(const Region& region, std::uintptr_t at, const Touch& earlier, bool earlier_store, bool store,
                     const void* where) const;
    [[noreturn]] void outside(const Region& region, std::uintptr_t at, unsigned bytes, bool store, const void* where);

    std::string kernel_name() const;
    std::uint32_t grid_thread(unsigned thread) const { return std::uint32_t(block_ * count_ + thread); }
    std::string thread_name(std::uint32_t grid_thread) const;            ///< `thread 3 of block 0`
    std::string me() const { return thread_name(grid_thread(now_)); }    ///< The name of the running thread.
    std::string waiting(unsigned thread) const;                          ///< `thread 3 of block 0 waits at ...`
    std::string name(const Region& region) const;                        ///< `out`, or `argument 2`
    std::string element(const Region& region, std::uintptr_t at) const;  ///< `out[12]`
    void note(Kind kind, const std::string& sentence);
    [[noreturn]] void give_up();                                     ///< Ends the thread.
    [[noreturn]] void stop(Kind kind, const std::string& sentence);  ///< Records the mistake and ends the thread.
    [[noreturn]] void refuse(Kind kind, const std::string& sentence) const;  ///< Throws outside of threads.

    Config config_;
    Call* call_ = nullptr;
    Counts counts_;
    Sites sites_;
    Stacks stacks_;
    Fiber host_;
    Region* dynamic_ = nullptr;
    std::vector<Thread> threads_;
    std::optional<Mistake> mistake_, pending_;
    std::vector<Copy> copies_;
    Suspect suspect_;
    Unwritten unwritten_;
    std::uint64_t block_ = 0;
    unsigned now_ = 0, count_ = 0, warps_ = 0;
    // The clock advances at every barrier, a warp's clock at every operation of the warp. Clocks never go back.
    std::uint32_t clock_ = 1, launched_ = 1, block_began_ = 1, last_barrier_ = 1;
    std::vector<std::uint32_t> warp_clock_;
    // For each address, the blocks that released their writes by an atomic after a __threadfence, and when; and the
    // addresses at which the present block has had an atomic since.
    std::unordered_map<std::uintptr_t, std::unordered_map<std::uint64_t, std::uint32_t>> released_;
    std::vector<std::uintptr_t> acquired_;
    char begun_ = 0, ended_ = 0, barrier_[2] = {}, warp_tokens_[64] = {};  ///< for pass()
    std::vector<const void*> entered_;                                     ///< an address in each called function
};

Machine& machine();

}  // namespace recto::kernels::detail
