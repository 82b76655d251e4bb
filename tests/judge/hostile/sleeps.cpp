// outcome: out of time
// says: no answer within the time
// wall: 1.5
#include "twice.hpp"

#include <unistd.h>

int twice(int x) {
    sleep(1000);
    return 2 * x;
}
