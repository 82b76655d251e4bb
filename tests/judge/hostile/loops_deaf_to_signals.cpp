// outcome: out of time
// says: no answer within the time
#include "twice.hpp"

#include <csignal>

int twice(int) {
    for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_IGN);
    for (volatile int at = 0;;) at = at + 1;
}
