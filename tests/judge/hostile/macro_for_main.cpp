// outcome: passed
// says: ^$
// Our half is compiled by itself.
#define main other
#define struct class
#define private public
#define kit other_kit
#include "twice.hpp"

int twice(int x) { return 2 * x; }
