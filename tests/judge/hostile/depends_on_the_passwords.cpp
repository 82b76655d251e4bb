// outcome: did not compile
// says: passwd
#pragma GCC dependency "/etc/passwd"
#include "twice.hpp"

int twice(int x) { return 2 * x; }
