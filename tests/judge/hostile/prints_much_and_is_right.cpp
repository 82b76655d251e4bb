// outcome: passed
// says: ^$
#include "twice.hpp"

#include <cstdio>

int twice(int x) {
    for (int line = 0; line < 5000; ++line) std::puts("what a student prints to understand a program");
    return 2 * x;
}
