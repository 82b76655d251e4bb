// outcome: out of memory
// says: took more than \d+ MiB
// Every thread has a stack.
#include "twice.hpp"

#include <unistd.h>
#include <thread>

int twice(int x) {
    for (int number = 0; number < 20; ++number) {
        try {
            std::thread([] {
                volatile char room[7 << 20];
                for (std::size_t at = 0; at < sizeof room; at += 4096) room[at] = 1;
                for (;;) pause();
            }).detach();
        } catch (...) {
        }
    }
    sleep(1000);
    return 2 * x;
}
