// outcome: garbled answer
// says: says it has|invalid answer|ends at byte
// Tries to be the warden on every descriptor there may be.
#include "twice.hpp"

#include <unistd.h>

int twice(int x) {
    for (int file = 3; file < 64; ++file) (void)!write(file, "exit 0 1 1\n", 11);
    return 2 * x;
}
