// outcome: out of time
// says: no answer within the time
#include "twice.hpp"

#include <unistd.h>

int twice(int) {
    for (;;) fork();
}
