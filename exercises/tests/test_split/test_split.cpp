#include "test_split.hpp"

#include "not_written.hpp"

bool test_split(Splitter split) {
    const Split parts = split(10, 1);
    // Check the parts, ask for other counts and other seeds, return false as soon as something is wrong, and delete
    // the next line.
    not_written("test_split");
    return parts.train.size() == 8;
}
