// outcome: crashed
// says: forbidden system call
// They have other numbers; a filter must block them as well.
#include "twice.hpp"

#include <csignal>

int twice(int x) {
#if defined(__x86_64__)
    long number = 20;
    asm volatile("int $0x80" : "+a"(number) : : "memory");
#else
    std::raise(SIGSYS);
#endif
    return 2 * x;
}
