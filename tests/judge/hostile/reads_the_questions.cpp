// outcome: out of time
// says: no answer within the time
// wall: 1.5
#include "twice.hpp"

#include <unistd.h>

int twice(int x) {
    char byte = 0;
    while (read(0, &byte, 1) == 1) x ^= byte;
    return x;
}
