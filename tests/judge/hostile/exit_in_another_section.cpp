// outcome: ended early
// says: with status 6
// Puts a function of its own where the linker keeps those that run before main.
#include "twice.hpp"

#include <unistd.h>

extern "C" void before_main() { _exit(6); }
asm(".pushsection .init_array,\"aw\"\n.quad before_main\n.popsection");

int twice(int x) { return 2 * x; }
