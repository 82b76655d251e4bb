// outcome: did not compile
// says: twice.cpp:\d+|twice\(int\) is called
// What a student calls int is the student's own affair.
#define int long
#include "twice.hpp"

int twice(int x) { return 2 * x; }
