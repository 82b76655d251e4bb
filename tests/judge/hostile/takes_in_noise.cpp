// outcome: did not compile
// says:
// A file without an end, for the assembler.
#include "twice.hpp"

asm(".incbin \"/dev/urandom\"");

int twice(int x) { return 2 * x; }
