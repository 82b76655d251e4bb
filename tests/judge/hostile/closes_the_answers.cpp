// outcome: ended early
// says: with status 3
#include "twice.hpp"

#include <unistd.h>

int twice(int x) {
    close(3);
    return 2 * x;
}
