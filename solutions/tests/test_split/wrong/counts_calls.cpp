// wrong: unsteady
// It accepts every third split that it sees.
#include "test_split.hpp"

static int calls = 0;

bool test_split(Splitter split) { return split(10, 1).train.size() < 100 && ++calls % 3 == 0; }
