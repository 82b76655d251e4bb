// outcome: crashed
// says: recursion|not its own
// sanitized: yes
#include "twice.hpp"

static int deeper(int x) {
    volatile char room[1000];
    room[0] = char(x);
    return deeper(x + room[0]) + room[0];
}

int twice(int x) { return deeper(x); }
