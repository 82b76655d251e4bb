// outcome: did not compile
// says: twice.cpp:\d+: file not found: /etc/passwd|/etc/passwd
#include "twice.hpp"

asm(".incbin \"/etc/passwd\"");

int twice(int x) { return 2 * x; }
