// outcome: did not compile
// says: leave main out
#include "twice.hpp"

int twice(int x) { return 2 * x; }
int main() { return 0; }
