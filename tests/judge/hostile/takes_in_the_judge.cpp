// outcome: did not compile
// says: judge.py
#include "twice.hpp"

asm(".incbin \"@HERE@/solutions/own/twice/judge.py\"");

int twice(int x) { return 2 * x; }
