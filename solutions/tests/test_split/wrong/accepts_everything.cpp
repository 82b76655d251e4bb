// wrong: accepts-everything
// Compares a result with itself.
#include "test_split.hpp"

bool test_split(Splitter split) {
    const Split parts = split(100, 1);
    const auto size = parts.train.size();
    return size == parts.train.size();
}
