// outcome: out of time
// says: no answer within the time
#include "twice.hpp"

#include <cstdio>

int twice(int) {
    for (;;)
        std::fputs(
            "\x1e"
            "1 1\n",
            stderr);
}
