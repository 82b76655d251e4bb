// outcome: ended early
// says: with status 1
#include "twice.hpp"

#include <cstdlib>

int twice(int) { std::quick_exit(1); }
