// outcome: out of memory
// says: global variables take 102\d MiB
#include "twice.hpp"

char room[1 << 30];

int twice(int x) {
    room[x & 1] = 1;
    return 2 * x;
}
