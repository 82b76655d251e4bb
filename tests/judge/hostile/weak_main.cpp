// outcome: passed
// says: ^$
// The strong one wins.
#include "twice.hpp"

__attribute__((weak)) int main() { return 0; }

int twice(int x) { return 2 * x; }
