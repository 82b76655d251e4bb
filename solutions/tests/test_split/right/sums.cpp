// No marks: that all samples are there, and once, shows when the parts are put in order and compared with 0, 1, 2, ...
// Chance shows in averages: those of the test part over many seeds, and the spread of its numbers.
#include "test_split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

static std::vector<int> joined(const Split& parts) {
    std::vector<int> all(parts.test);
    all.insert(all.begin(), parts.validation.begin(), parts.validation.end());
    all.insert(all.begin(), parts.train.begin(), parts.train.end());
    std::sort(all.begin(), all.end());
    return all;
}

static bool ok(const Split& parts, int count) {
    std::vector<int> wanted(static_cast<std::size_t>(count));
    std::iota(wanted.begin(), wanted.end(), 0);
    const std::size_t tenth = std::size_t(count) / 10, most = std::size_t(count) * 8 / 10;
    return joined(parts) == wanted && parts.train.size() == most && parts.validation.size() == tenth;
}

bool test_split(Splitter split) try {
    const int counts[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 17, 19, 20, 25, 27, 99, 1001, 10000};
    for (const int count : counts)
        if (!ok(split(count, 11), count)) return false;
    // Every single sample must get about its share of the test part.
    std::vector<int> shares(40, 0);
    for (unsigned seed = 0; seed < 500; ++seed)
        for (const int sample : split(40, seed).test) ++shares.at(std::size_t(sample));
    if (*std::min_element(shares.begin(), shares.end()) < 10 || *std::max_element(shares.begin(), shares.end()) > 120)
        return false;
    // The distances between neighbours in an ordered test part vary as distances between random places do.
    std::vector<int> test = split(5000, 3).test;
    std::sort(test.begin(), test.end());
    int ones = 0;
    for (std::size_t i = 1; i < test.size(); ++i) ones += test[i] - test[i - 1] == 1;
    if (ones > 150) return false;
    // The seed decides, and nothing else.
    std::vector<std::vector<int>> seen;
    for (const unsigned seed : {4u, 6u, 9u, 4u, 6u, 9u}) {
        seen.push_back(split(300, seed).validation);
        std::sort(seen.back().begin(), seen.back().end());
    }
    return seen[0] == seen[3] && seen[1] == seen[4] && seen[2] == seen[5] && seen[0] != seen[1] && seen[0] != seen[2] &&
           seen[1] != seen[2];
} catch (...) {
    return false;
}
