// outcome: crashed
// says: division by zero
// sanitized: yes
#include "twice.hpp"

int twice(int x) {
    volatile int zero = 0;
    return 2 * x / zero;
}
