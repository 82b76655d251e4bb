// outcome: did not compile
// says:
#include "twice.hpp"

int numbers[500'000'000] = {1};

int twice(int x) { return 2 * x + numbers[1]; }
