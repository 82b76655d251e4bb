// outcome: crashed
// says: signal 24
// Sends itself what the kernel sends to those that run too long.
#include "twice.hpp"

#include <csignal>

int twice(int) { return std::raise(SIGXCPU); }
