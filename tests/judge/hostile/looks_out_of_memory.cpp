// outcome: did not compile
// says: ^twice.cpp:\d+: .*not declared
// A message of the compiler's own, in the student's words.
#include "twice.hpp"

int twice(int x) { return missing(x); }  // cc1plus: out of memory allocating 9 bytes, multiple definition of `main'
