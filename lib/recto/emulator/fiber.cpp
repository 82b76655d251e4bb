#include <recto/emulator/fiber.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef RECTO_THREAD_SANITIZER  // the emulator is compiled without ThreadSanitizer's runtime, the kernels call it
#include <sanitizer/tsan_interface.h>
#endif

// swapcontext would call the operating system for the signal mask at each switch: a microsecond instead of nanoseconds.
// This function saves the registers that a call must preserve, stores the stack pointer, loads the other one, and
// returns there.
extern "C" void recto_fiber_step(void** save, void* load);
#if defined(__x86_64__)
asm(R"(
.text
.globl recto_fiber_step
.type recto_fiber_step, @function
recto_fiber_step:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size recto_fiber_step, .-recto_fiber_step
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl recto_fiber_step
.type recto_fiber_step, %function
recto_fiber_step:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size recto_fiber_step, .-recto_fiber_step
)");
#else
#error the emulator of CUDA kernels knows how to change stacks on x86-64 and 64-bit Arm
#endif

namespace recto::kernels::detail {
namespace {
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t stack_bytes = 1024 * 1024;
#else
constexpr std::size_t stack_bytes = 256 * 1024;  // only touched pages occupy memory
#endif
constexpr std::size_t together = 64;  // stacks in one mapping
}  // namespace

Stacks::~Stacks() {
    for (void* at : mapped_) munmap(at, together * stack_bytes);
}

void Stacks::need(std::size_t count) {
    const auto page = std::size_t(sysconf(_SC_PAGESIZE));
    while (fibers_.size() < count) {
        void* at = mmap(nullptr, together * stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) throw std::bad_alloc();
        mapped_.push_back(at);
        for (std::size_t i = 0; i < together; ++i) {
            char* begin = static_cast<char*>(at) + i * stack_bytes;
            mprotect(begin, page, PROT_NONE);
            Fiber& fiber = fibers_.emplace_back();
            fiber.stack_begin = reinterpret_cast<std::uintptr_t>(begin) + page;
            fiber.stack_end = reinterpret_cast<std::uintptr_t>(begin) + stack_bytes;
        }
    }
}

void Stacks::begin(std::size_t i, void (*main)()) {
    const auto entry = reinterpret_cast<std::uintptr_t>(main);
#if defined(__x86_64__)  // six registers, the return address, and a slot that keeps the stack aligned
    const std::uintptr_t frame[8] = {0, 0, 0, 0, 0, 0, entry, 0};
#else  // x19 to x30, the last of which holds the return address, then d8 to d15
    std::uintptr_t frame[20] = {};
    frame[11] = entry;
#endif
    fibers_[i].top = reinterpret_cast<void*>(fibers_[i].stack_end - sizeof frame);
#ifdef __SANITIZE_ADDRESS__  // the previous fiber on this stack may not have returned
    __asan_unpoison_memory_region(reinterpret_cast<void*>(fibers_[i].stack_begin),
                                  fibers_[i].stack_end - fibers_[i].stack_begin);
#endif
#ifdef RECTO_THREAD_SANITIZER
    if (fibers_[i].known_as) __tsan_destroy_fiber(fibers_[i].known_as);
    fibers_[i].known_as = __tsan_create_fiber(0);
#endif
    std::memcpy(fibers_[i].top, frame, sizeof frame);
}

#if defined(__SANITIZE_ADDRESS__)
void step(Fiber& from, Fiber& to, bool for_good) {
    __sanitizer_start_switch_fiber(for_good ? nullptr : &from.fake, reinterpret_cast<void*>(to.stack_begin),
                                   to.stack_end - to.stack_begin);
    recto_fiber_step(&from.top, to.top);
    __sanitizer_finish_switch_fiber(from.fake, nullptr, nullptr);
}
void arrived(Fiber& from) {
    const void* begin = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(nullptr, &begin, &bytes);
    from.stack_begin = reinterpret_cast<std::uintptr_t>(begin);
    from.stack_end = from.stack_begin + bytes;
}
#elif defined(RECTO_THREAD_SANITIZER)
void step(Fiber& from, Fiber& to, bool) {
    if (!from.known_as) from.known_as = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to.known_as, __tsan_switch_to_fiber_no_sync);
    recto_fiber_step(&from.top, to.top);
}
void arrived(Fiber&) {}
#else
void step(Fiber& from, Fiber& to, bool) { recto_fiber_step(&from.top, to.top); }
void arrived(Fiber&) {}
#endif

#ifdef RECTO_THREAD_SANITIZER
void let_pass(void* token) { __tsan_release(token); }
void pass(void* token) { __tsan_acquire(token); }
#else
void let_pass(void*) {}
void pass(void*) {}
#endif

}  // namespace recto::kernels::detail
