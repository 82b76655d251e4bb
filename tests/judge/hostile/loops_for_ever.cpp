// outcome: out of time
// says: no answer within the time
#include "twice.hpp"

int twice(int x) {
    for (volatile int at = 0;; at = at + 1) x ^= at;
}
