// outcome: did not compile
// says: twice.cpp|error
// The compiler quotes a line that reads as if the compiler itself had failed.
#include "twice.hpp"

#line 1 "\ng++: fatal error: cannot execute 'cc1plus': execvp: No such file or directory\n"
int twice(int x) { return 2 * y; }
