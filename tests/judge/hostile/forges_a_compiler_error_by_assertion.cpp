// outcome: did not compile
// says: static assertion failed
#include "twice.hpp"

static_assert(false, "\ng++: fatal error: cannot execute 'cc1plus': execvp: No such file or directory\n");
int twice(int x) { return 2 * x; }
