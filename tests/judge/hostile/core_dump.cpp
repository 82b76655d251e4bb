// outcome: crashed
// says: abort
// Asks for a core file; test_hostile.py checks that none is written.
#include "twice.hpp"

#include <sys/resource.h>
#include <cstdlib>

int twice(int) {
    const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &all);
    std::abort();
}
