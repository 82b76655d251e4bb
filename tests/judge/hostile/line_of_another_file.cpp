// outcome: did not compile
// says: passwd|error
// Says that it is another file, whose lines the compiler would show.
#include "twice.hpp"

#line 1 "/etc/passwd"
int twice(int x) { return 2 * y; }
