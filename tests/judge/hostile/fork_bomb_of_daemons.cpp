// outcome: out of time
// says: no answer within the time
// Each lives for a moment only, in a session of its own.
#include "twice.hpp"

#include <unistd.h>
#include <csignal>

int twice(int x) {
    std::signal(SIGCHLD, SIG_IGN);
    for (;;) {
        if (fork() == 0) {
            setsid();
            if (fork()) _exit(0);
        }
    }
    return x;
}
