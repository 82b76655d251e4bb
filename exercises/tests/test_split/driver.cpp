#include "test_split.hpp"
#include "trial.hpp"

static Split split(int count, unsigned seed) {
    kit::Arguments parts = kit::candidate("split", count, long(seed));
    return {parts.next<std::vector<int>>(), parts.next<std::vector<int>>(), parts.next<std::vector<int>>()};
}

static bool test() {
    return kit::verdict([] { return test_split(split); });
}
static const kit::Function test_split_("test_split", test);
