// outcome: ended early
// says: with status 4
// The same by the linker's own list.
#include "twice.hpp"

#include <unistd.h>

__attribute__((constructor)) static void before_main() { _exit(4); }

int twice(int x) { return 2 * x; }
