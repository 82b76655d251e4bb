// outcome: crashed
// says: not its own|abort
// Replaces what all of the program stands on.
#include "twice.hpp"

#include <cstddef>

extern "C" void* malloc(std::size_t) { return nullptr; }

int twice(int x) { return 2 * x; }
