// outcome: out of memory
// says: took more than \d+ MiB
#include "twice.hpp"

#include <cstdlib>
#include <cstring>

int twice(int x) {
    for (;;) {
        void* more = std::malloc(1 << 20);
        if (more) std::memset(more, x, 1 << 20);
    }
}
