// outcome: out of time
// says: no answer within the time
// wall: 1.5
// With a library of its own before all others; what was asked is lost.
#include "twice.hpp"

#include <unistd.h>
#include <cstdlib>

int twice(int x) {
    setenv("LD_PRELOAD", "/tmp/mine.so", 1);
    execl("/proc/self/exe", "program", static_cast<char*>(nullptr));
    return 2 * x;
}
