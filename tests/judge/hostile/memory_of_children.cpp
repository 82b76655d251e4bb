// outcome: out of memory
// says: took more than \d+ MiB
// None of them has much.
#include "twice.hpp"

#include <unistd.h>
#include <vector>

int twice(int x) {
    for (int child = 0; child < 8; ++child)
        if (fork() == 0) {
            const std::vector<char> mine(30 << 20, 1);
            sleep(1000);
            _exit(mine[0]);
        }
    sleep(1000);
    return 2 * x;
}
