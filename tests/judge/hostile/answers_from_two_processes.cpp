// outcome: garbled answer
// says: question \d+ where one to question \d+ was due
#include "twice.hpp"

#include <unistd.h>

int twice(int x) {
    fork();
    return 2 * x;
}
