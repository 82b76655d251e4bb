// outcome: crashed
// says: file that grew too large
#include "twice.hpp"

#include <fcntl.h>
#include <unistd.h>

int twice(int x) {
    const int file = open("/tmp/large", O_CREAT | O_WRONLY, 0600);
    return ftruncate(file, off_t(1) << 40) ? 0 : 2 * x;
}
