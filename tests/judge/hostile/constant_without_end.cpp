// outcome: did not compile
// says: twice.cpp:\d+|the compiler
#include "twice.hpp"

constexpr int endless(int x) {
    for (;;) x ^= 1;
    return x;
}
static_assert(endless(1) == 1);

int twice(int x) { return 2 * x; }
