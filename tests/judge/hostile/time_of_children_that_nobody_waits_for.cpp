// outcome: out of time
// says: no answer within the time
// Where a parent ignores the end of its children, the kernel forgets their processor time.
#include "twice.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

int twice(int x) {
    std::signal(SIGCHLD, SIG_IGN);
    for (int child = 0; child < 400; ++child) {
        if (fork() == 0) {
            while (std::clock() < CLOCKS_PER_SEC / 100) {
            }
            _exit(0);
        }
        while (waitpid(-1, nullptr, 0) > 0) {
        }
    }
    return 2 * x;
}
