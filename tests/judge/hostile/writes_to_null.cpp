// outcome: crashed
// says: leaves undefined: store to null pointer.*in twice.cpp line
// sanitized: yes
#include "twice.hpp"

int twice(int x) {
    int* volatile nowhere = nullptr;
    *nowhere = x;
    return 2 * x;
}
