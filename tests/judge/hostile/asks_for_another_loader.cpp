// outcome: did not compile
// says: the program could not be started
// Linked, and no kernel can start it.
#include "twice.hpp"

extern const char loader[] __attribute__((section(".interp"), used)) = "/nowhere/loader";
int twice(int x) { return 2 * x; }
