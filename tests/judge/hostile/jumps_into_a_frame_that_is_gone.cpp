// outcome: ended early
// says: with status 8
#include "twice.hpp"

#include <unistd.h>
#include <csetjmp>

static std::jmp_buf place;
__attribute__((constructor)) static void begin() {
    if (setjmp(place)) _exit(8);
}

int twice(int) { std::longjmp(place, 1); }
