// outcome: out of time
// says: no answer within the time
// wall: 1.5
// One byte now and then: there is always something to wait for.
#include "twice.hpp"

#include <unistd.h>

int twice(int) {
    for (;;) {  // the first four make a length of 16 MiB
        usleep(200000);
        (void)!write(3, "\1", 1);
    }
}
