// exercise: test_split
// part: partition
// outcome: ended early
// says: the split that the test called has ended: it took more than
// Has the implementation take more than a program may have: what ends is not the test.
#include "test_split.hpp"

bool test_split(Splitter split) { return split(140'000'000, 1).train.size() == 112'000'000; }
