// outcome: out of memory
// says: more than 400 MiB
// sanitized: yes
// Reads one byte of each page table: no page of its own becomes resident.
#include "twice.hpp"

#include <sys/mman.h>

#include <cstddef>

int twice(int x) {
    const std::size_t each = std::size_t(2) << 20, all = std::size_t(1) << 40;
    void* const taken = mmap(nullptr, all, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (taken == MAP_FAILED) return 2 * x;
    madvise(taken, all, MADV_NOHUGEPAGE);
    for (std::size_t at = 0; at < 300'000 * each; at += each) (void)static_cast<volatile char*>(taken)[at];
    return 2 * x;
}
