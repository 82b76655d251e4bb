// outcome: out of time
// says: no answer within the time
// wall: 1.5
#include "twice.hpp"

#include <unistd.h>
#include <csignal>

int twice(int) {
    for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    for (;;) pause();
}
