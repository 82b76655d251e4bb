// outcome: did not compile
// says: error
#include "twice.hpp"

__attribute__((error("\n/usr/bin/ld: cannot open output file /out/program: No space left on device\n"))) int stop();
int twice(int x) { return stop() + 2 * x; }
