#pragma once
/// @file
/// Many stacks on one thread of the machine, and the step from one to another.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace recto::kernels::detail {

/// A flow of control with a stack of its own.
struct Fiber {
    void* top = nullptr;             ///< where its registers lie while it does not run
    std::uintptr_t stack_begin = 0;  ///< the lowest address of its stack
    std::uintptr_t stack_end = 0;    ///< one past the highest
};

/// Stacks that are kept and used again, each above a page that may not be touched.
class Stacks {
public:
    ~Stacks();
    /// Makes at least `count` fibers, and lets fiber i begin at `main` when it is next entered.
    void need(std::size_t count);
    void begin(std::size_t i, void (*main)());               ///< Fiber i starts anew; `main` must never return.
    Fiber& operator[](std::size_t i) { return fibers_[i]; }  ///< One of them.

private:
    std::vector<Fiber> fibers_;
    std::vector<void*> mapped_;
};

/// Leaves `from` and goes on with `to`.
void step(Fiber& from, Fiber& to);

}  // namespace recto::kernels::detail
