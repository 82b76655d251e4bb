// outcome: out of memory
// says: took more than \d+ MiB
// Empty files take no room on the disk.
#include "twice.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <string>

int twice(int) {
    for (int number = 0;; ++number) close(open(("/tmp/" + std::to_string(number)).c_str(), O_CREAT | O_WRONLY, 0600));
}
