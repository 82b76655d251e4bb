#include <recto/testing/cuda_on_cpu/fiber.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

// swapcontext would ask the kernel for the signal mask at each step: a microsecond instead of some nanoseconds.
// Saves what a called function must keep, stores the stack pointer, loads the other one, and returns there.
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
constexpr std::size_t stack_bytes = 256 * 1024;  // touched pages only are real
constexpr std::size_t together = 64;             // stacks of one mapping
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
            fibers_.push_back({nullptr, reinterpret_cast<std::uintptr_t>(begin) + page,
                               reinterpret_cast<std::uintptr_t>(begin) + stack_bytes});
        }
    }
}

void Stacks::begin(std::size_t i, void (*main)()) {
    const auto entry = reinterpret_cast<std::uintptr_t>(main);
#if defined(__x86_64__)  // six registers, the address to return to, and a place that keeps the stack aligned
    const std::uintptr_t frame[8] = {0, 0, 0, 0, 0, 0, entry, 0};
#else  // x19 to x30, the last of which is where to return to, then d8 to d15
    std::uintptr_t frame[20] = {};
    frame[11] = entry;
#endif
    fibers_[i].top = reinterpret_cast<void*>(fibers_[i].stack_end - sizeof frame);
    std::memcpy(fibers_[i].top, frame, sizeof frame);
}

void step(Fiber& from, Fiber& to) { recto_fiber_step(&from.top, to.top); }

}  // namespace recto::kernels::detail
