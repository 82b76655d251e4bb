#pragma once
/// @file
/// Many stacks on one thread of the machine, and the step from one to another.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace recto::kernels::detail {

/// A flow of control with a stack of its own. Sanitizers need to know of every switch, or they confuse the stacks.
struct Fiber {
    void* top = nullptr;             ///< where its registers lie while it does not run
    std::uintptr_t stack_begin = 0;  ///< the lowest address of its stack
    std::uintptr_t stack_end = 0;    ///< one past the highest
    void* fake = nullptr;            ///< AddressSanitizer's second stack
    void* known_as = nullptr;        ///< to ThreadSanitizer
};

/// Stacks that are kept and used again, each above a page that may not be touched.
class Stacks {
public:
    ~Stacks();
    /// Makes at least `count` fibers, and lets fiber i begin at `main` when it is next entered.
    void need(std::size_t count);
    void begin(std::size_t i, void (*main)());               ///< Restarts fiber i; `main` must never return.
    Fiber& operator[](std::size_t i) { return fibers_[i]; }  ///< One of them.

private:
    std::vector<Fiber> fibers_;
    std::vector<void*> mapped_;
};

/// Leaves `from` and goes on with `to`.
void step(Fiber& from, Fiber& to, bool for_good = false);

/// The first thing in a fiber's `main`; `from` is where it was entered from.
void arrived(Fiber& from);

// For ThreadSanitizer: all that was done before let_pass(token) comes before what follows pass(token).
void let_pass(void* token);
void pass(void* token);

}  // namespace recto::kernels::detail
