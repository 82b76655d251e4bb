// outcome: wrong answer
// says: expected|another answer
#include "twice.hpp"

#include <chrono>

int twice(int x) { return 2 * x + int(std::chrono::steady_clock::now().time_since_epoch().count() / 100 % 7); }
