// wrong: one-seed
#include "test_split.hpp"

#include <algorithm>
#include <set>

// Each sample is in one part, once.
static bool once(const Split& parts, int count) {
    std::set<int> seen;
    for (const auto& part : {parts.train, parts.validation, parts.test})
        for (const int sample : part)
            if (sample < 0 || sample >= count || !seen.insert(sample).second) return false;
    return int(seen.size()) == count;
}

static bool sizes(const Split& parts, int count) {
    const int train = count * 8 / 10, validation = count / 10;
    return int(parts.train.size()) == train && int(parts.validation.size()) == validation &&
           int(parts.test.size()) == count - train - validation;
}

static bool apart(const Split& parts) {
    const std::set<int> test(parts.test.begin(), parts.test.end());
    const auto together = std::count_if(test.begin(), test.end(), [&](int k) { return test.count(k + 1) > 0; });
    return together < int(test.size()) / 4;
}

bool test_split(Splitter split) {
    for (int count = 0; count <= 40; ++count) {
        const Split parts = split(count, 3);
        if (!sizes(parts, count) || !once(parts, count)) return false;
    }
    if (!apart(split(1000, 4))) return false;
    return true;
}
