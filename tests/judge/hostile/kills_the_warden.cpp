// outcome: passed
// says: ^$
// Every signal there is, to process 1 and to the parent.
#include "twice.hpp"

#include <unistd.h>
#include <csignal>

int twice(int x) {
    for (int number = 1; number < NSIG; ++number) {
        kill(1, number);
        kill(getppid(), number);
    }
    return 2 * x;
}
