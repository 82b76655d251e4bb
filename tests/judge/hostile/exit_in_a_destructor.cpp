// outcome: ended early
// says: with status 5 after its last answer
// All answers are right; then the end is not.
#include "twice.hpp"

#include <cstdlib>

struct Last {
    ~Last() { std::_Exit(5); }
};
static Last last;

int twice(int x) { return 2 * x; }
