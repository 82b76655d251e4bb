// outcome: out of time
// says: no answer within the time
// wall: 1.5
#include "twice.hpp"

#include <fcntl.h>
#include <sys/stat.h>

int twice(int x) {
    mkfifo("/tmp/pipe", 0600);
    return open("/tmp/pipe", O_RDONLY) < 0 ? 0 : 2 * x;
}
