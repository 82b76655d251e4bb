// outcome: out of time
// says: no answer within the time
// wall: 1.5
#include "twice.hpp"

#include <csignal>

int twice(int x) {
    std::raise(SIGSTOP);
    return 2 * x;
}
