// outcome: ended early
// says: with status 0
// Ends before main begins.
#include "twice.hpp"

#include <cstdlib>

static const int before_main = (std::exit(0), 0);

int twice(int x) { return 2 * x + before_main; }
