// outcome: ended early
// says: with status 0
#include "twice.hpp"

#include <unistd.h>

int twice(int x) {
    close(0);
    return 2 * x;
}
