// outcome: ended early
// says: with status 7
// No function of the C library has part in it.
#include "twice.hpp"

#include <sys/syscall.h>
#include <unistd.h>

int twice(int x) {
#if defined(__x86_64__)
    long number = SYS_exit_group;
    asm volatile("syscall" : "+a"(number) : "D"(7L) : "rcx", "r11", "memory");
#else
    syscall(SYS_exit_group, 7);
#endif
    return 2 * x;
}
