// The functions that kernels call when compiled with -fsanitize=thread, -fsanitize=bounds and
// -fsanitize-coverage=trace-pc. The compilers choose their names; the runtime of ThreadSanitizer, which would define
// them, is not linked.
#if !defined(__SANITIZE_THREAD__)
#include <mutex>
#include <string_view>
#include <type_traits>

#include <recto/emulator/machine.hpp>

using namespace recto::kernels::detail;

namespace {

void saw(const void* address, unsigned bytes, bool store, const void* where) {
    if (mode == Mode::emulator) return;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (mode == Mode::kernel) {
        const Inside inside;
        machine().access(at, bytes, store, false, where);
    } else if (watched.device.holds(at) || watched.copies.holds(at)) {
        const Inside inside;
        const std::lock_guard lock(machine().mutex);
        machine().host_access(at, store, where);
    }
}

void saw_range(const void* address, std::size_t bytes, bool store, const void* where) {
    const char* at = static_cast<const char*>(address);
    for (std::size_t i = 0; i < bytes;) {  // in pieces as large as alignment allows
        unsigned piece = 16;
        while (reinterpret_cast<std::uintptr_t>(at + i) % piece != 0 || piece > bytes - i) piece /= 2;
        saw(at + i, piece, store, where);
        i += piece;
    }
}

}  // namespace

#define HERE __builtin_return_address(0)
extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {
    if (mode != Mode::kernel) return;
    const Inside inside;
    machine().enter(HERE);
}
void __tsan_func_exit() {}
void __tsan_vptr_read(void*) {}
void __tsan_vptr_update(void*, void*) {}
void __tsan_read_range(void* at, std::size_t bytes) { saw_range(at, bytes, false, HERE); }
void __tsan_write_range(void* at, std::size_t bytes) { saw_range(at, bytes, true, HERE); }
#define ACCESS(BYTES)                                                  \
    void __tsan_read##BYTES(void* at) { saw(at, BYTES, false, HERE); } \
    void __tsan_write##BYTES(void* at) { saw(at, BYTES, true, HERE); }
#define UNALIGNED(BYTES)                                                         \
    void __tsan_unaligned_read##BYTES(void* at) { saw(at, BYTES, false, HERE); } \
    void __tsan_unaligned_write##BYTES(void* at) { saw(at, BYTES, true, HERE); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

void __sanitizer_cov_trace_pc() {
    if (--steps_left > 0) return;
    if (mode != Mode::kernel) return void(steps_left = mode == Mode::host ? 1 << 30 : 1);
    const Inside inside;
    machine().out_of_steps(HERE);
}
}

// Atomics of the host code around the kernels (shared_ptr, std::atomic): executed directly and not checked.
template <class T>
using Of = std::type_identity_t<T>;
#define ATOMIC(BITS, T)                                                                                               \
    T __tsan_atomic##BITS##_load(const volatile T* at, int) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }         \
    void __tsan_atomic##BITS##_store(volatile T* at, T v, int) { __atomic_store_n(at, v, __ATOMIC_SEQ_CST); }         \
    T __tsan_atomic##BITS##_exchange(volatile T* at, T v, int) {                                                      \
        return __atomic_exchange_n(at, v, __ATOMIC_SEQ_CST);                                                          \
    }                                                                                                                 \
    T __tsan_atomic##BITS##_fetch_add(volatile T* at, T v, int) {                                                     \
        return __atomic_fetch_add(at, v, __ATOMIC_SEQ_CST);                                                           \
    }                                                                                                                 \
    T __tsan_atomic##BITS##_fetch_sub(volatile T* at, T v, int) {                                                     \
        return __atomic_fetch_sub(at, v, __ATOMIC_SEQ_CST);                                                           \
    }                                                                                                                 \
    T __tsan_atomic##BITS##_fetch_and(volatile T* at, T v, int) {                                                     \
        return __atomic_fetch_and(at, v, __ATOMIC_SEQ_CST);                                                           \
    }                                                                                                                 \
    T __tsan_atomic##BITS##_fetch_or(volatile T* at, T v, int) { return __atomic_fetch_or(at, v, __ATOMIC_SEQ_CST); } \
    T __tsan_atomic##BITS##_fetch_xor(volatile T* at, T v, int) {                                                     \
        return __atomic_fetch_xor(at, v, __ATOMIC_SEQ_CST);                                                           \
    }                                                                                                                 \
    int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* at, T* old, T v, int, int) {                        \
        return __atomic_compare_exchange_n(at, old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                    \
    }                                                                                                                 \
    int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* at, T* old, T v, int, int) {                          \
        return __atomic_compare_exchange_n(at, old, v, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                     \
    }                                                                                                                 \
    T __tsan_atomic##BITS##_compare_exchange_val(volatile T* at, T old, T v, int, int) {                              \
        __atomic_compare_exchange_n(at, &old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                          \
        return old;                                                                                                   \
    }
extern "C" {
ATOMIC(8, std::uint8_t)
ATOMIC(16, std::uint16_t)
ATOMIC(32, std::uint32_t)
ATOMIC(64, std::uint64_t)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}

// What the compiler reports about an index: location, type of the array, type of the index.
struct IndexType {
    std::uint16_t kind, width_and_sign;
    char name[1];
};
struct IndexCheck {
    const char* file;
    std::uint32_t line, column;
    const IndexType *array, *index;
};
void __ubsan_handle_out_of_bounds(const IndexCheck* check, std::uintptr_t index) {
    if (mode == Mode::emulator) return;
    const bool in_kernel = mode == Mode::kernel;
    const Inside inside;
    const std::string_view file = check->file;
    const std::string where = std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(check->line);
    const unsigned bits = 1u << (check->index->width_and_sign >> 1), unused = bits < 64 ? 64 - bits : 0;
    const bool is_signed = check->index->width_and_sign & 1;
    const auto value = is_signed ? std::int64_t(index << unused) >> unused : std::int64_t(index);
    std::string type = check->array->name;
    std::erase_if(type, [](char c) { return c == '\'' || c == ' '; });
    if (in_kernel) machine().bad_index(type, value, where);
    const std::lock_guard lock(machine().mutex);
    machine().host_mistake(recto::kernels::Kind::out_of_range, "it uses the index " + std::to_string(value) + " (" +
                                                                   where + "), but the array is a " + type);
}
}
#endif
