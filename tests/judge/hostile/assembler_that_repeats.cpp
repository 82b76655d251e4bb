// outcome: did not compile
// says: the compiler (needs more than|did not come to an end)
#include "twice.hpp"

asm(".rept 1000000000\n.rept 1000\nnop\n.endr\n.endr");

int twice(int x) { return 2 * x; }
