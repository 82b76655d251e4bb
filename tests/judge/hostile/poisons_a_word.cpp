// outcome: did not compile
// says: poisoned
#pragma GCC poison twice
#include "twice.hpp"
