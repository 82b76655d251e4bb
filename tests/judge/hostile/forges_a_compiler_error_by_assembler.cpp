// outcome: did not compile
// says: cannot execute
#include "twice.hpp"

asm(".print \"g++: fatal error: cannot execute 'as': execvp: No such file or directory\"\n.error \"it is your "
    "machine\"");
int twice(int x) { return 2 * x; }
