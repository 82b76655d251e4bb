// outcome: crashed
// says: abort.*: false && "\\x1b\[31m
#include "twice.hpp"

#include <cassert>

int twice(int) {
    assert(false && "\x1b[31mred");
    return 0;
}
