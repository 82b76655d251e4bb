// outcome: crashed
// says: signal 14
#include "twice.hpp"

#include <unistd.h>

int twice(int) {
    ualarm(1000, 0);
    return pause();
}
