// outcome: out of memory
// says: asked for more memory than its \d+ MiB
#include "twice.hpp"

#include <vector>

int twice(int x) {
    const std::vector<int> large(std::size_t(1) << 30, x);
    return large.back() + x;
}
