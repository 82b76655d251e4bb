// wrong: takes-the-answer
// outcome: did not compile
#include <recto/data/split.hpp>

#include "test_split.hpp"

bool test_split(Splitter split) {
    recto::Generator generator(1);
    return split(100, 1).train == recto::split(100, generator).train;
}
