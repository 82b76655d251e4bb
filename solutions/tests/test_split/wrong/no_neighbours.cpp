// wrong: neighbours-together
#include "test_split.hpp"

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

static bool same(const Split& one, const Split& other) {
    const auto set = [](const std::vector<int>& part) { return std::set<int>(part.begin(), part.end()); };
    return set(one.train) == set(other.train) && set(one.test) == set(other.test);
}

// With 300 seeds, each sample lands in each part.
static bool everywhere(Splitter split) {
    std::set<int> train, validation, test;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        const Split parts = split(20, seed);
        train.insert(parts.train.begin(), parts.train.end());
        validation.insert(parts.validation.begin(), parts.validation.end());
        test.insert(parts.test.begin(), parts.test.end());
    }
    return train.size() == 20 && validation.size() == 20 && test.size() == 20;
}

bool test_split(Splitter split) {
    for (int count = 0; count <= 40; ++count) {
        const Split parts = split(count, 3);
        if (!sizes(parts, count) || !once(parts, count)) return false;
    }
    const Split first = split(1000, 1);
    for (unsigned seed = 2; seed < 6; ++seed)
        if (same(first, split(1000, seed))) return false;
    if (!same(split(1000, 9), split(1000, 9))) return false;
    if (!everywhere(split)) return false;
    return true;
}
