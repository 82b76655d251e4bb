// outcome: out of time
// says: no answer within the time
#include "twice.hpp"

#include <fstream>

int twice(int x) {
    std::ifstream random("/dev/urandom");
    while (random.get() >= 0) x ^= 1;
    return x;
}
