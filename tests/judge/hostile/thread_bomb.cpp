// outcome: out of time
// says: no answer within the time
#include "twice.hpp"

#include <unistd.h>
#include <thread>

int twice(int) {
    for (;;) {
        try {
            std::thread([] { pause(); }).detach();
        } catch (...) {
        }
    }
}
