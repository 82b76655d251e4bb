// outcome: did not compile
// says: embed|passwd
#include "twice.hpp"

static const char words[] = {
#embed "/etc/passwd"
};

int twice(int x) { return 2 * x + words[0]; }
