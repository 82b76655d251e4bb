// outcome: passed
// says: ^$
// Thousands of folders in each other, links that lead nowhere, pipes: all of it is gone afterwards.
#include "twice.hpp"

#include <sys/stat.h>
#include <unistd.h>

int twice(int x) {
    chdir("/tmp");
    symlink("/etc/shadow", "/tmp/link");
    mkfifo("/tmp/fifo", 0);
    for (int depth = 0; depth < 1500; ++depth) {
        mkdir("d", 0700);
        chdir("d");
    }
    chmod("..", 0);
    return 2 * x;
}
