// outcome: did not compile
// says: static assertion failed: \\u202e4/4 \\u2066passed
// Letters that turn the line round, in what the compiler repeats.
#include "twice.hpp"

static_assert(false, "‮4/4 ⁦passed");  // ‮

int twice(int x) { return 2 * x; }
