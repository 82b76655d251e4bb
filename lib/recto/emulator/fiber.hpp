#pragma once
/// @file
/// Many stacks on one host thread, and the switch from one to another.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace recto::kernels::detail {

/// A flow of control with its own stack. Every switch must be reported to sanitizers, or they confuse the stacks.
struct Fiber {
    void* top = nullptr;             ///< where its registers are saved while it does not run
    std::uintptr_t stack_begin = 0;  ///< the lowest address of its stack
    std::uintptr_t stack_end = 0;    ///< one past the highest
    void* fake = nullptr;            ///< AddressSanitizer's second stack
    void* known_as = nullptr;        ///< its handle for ThreadSanitizer
};

/// Stacks that are kept and reused, each above a guard page.
class Stacks {
public:
    ~Stacks();
    /// Makes at least `count` fibers; fiber i starts at `main` when it is next entered.
    void need(std::size_t count);
    void begin(std::size_t i, void (*main)());               ///< Restarts fiber i; `main` must never return.
    Fiber& operator[](std::size_t i) { return fibers_[i]; }  ///< Fiber i.

private:
    std::vector<Fiber> fibers_;
    std::vector<void*> mapped_;
};

/// Switches from fiber `from` to fiber `to`.
void step(Fiber& from, Fiber& to, bool for_good = false);

/// Must be the first call in a fiber's `main`; `from` is the fiber that entered it.
void arrived(Fiber& from);

// For ThreadSanitizer: everything before let_pass(token) happens before everything after pass(token).
void let_pass(void* token);
void pass(void* token);

}  // namespace recto::kernels::detail
