// For chance it takes few, large splits instead of many small ones: the shares of both halves, of the ends, and of neighbours.
// For the samples at both ends only many seeds can tell.
#include "test_split.hpp"

#include <algorithm>

namespace {

std::vector<char> parts_of(const Split& parts, std::size_t count) {
    std::vector<char> part(count, 0);
    std::size_t marked = 0;
    char name = 'a';
    for (const auto& samples : {parts.train, parts.validation, parts.test}) {
        for (const int sample : samples)
            if (sample >= 0 && std::size_t(sample) < count && part[std::size_t(sample)] == 0) {
                part[std::size_t(sample)] = name;
                ++marked;
            }
        ++name;
    }
    const std::size_t all = parts.train.size() + parts.validation.size() + parts.test.size();
    const bool good = marked == count && all == count && parts.train.size() == count * 8 / 10 &&
                      parts.validation.size() == count / 10;
    return good ? part : std::vector<char>(1, '?');
}

bool bad(const std::vector<char>& part) { return part.size() == 1 && part[0] == '?'; }

}  // namespace

bool test_split(Splitter split) {
    for (std::size_t count = 0; count < 60; ++count)
        if (bad(parts_of(split(int(count), 123), count))) return false;
    const auto big = parts_of(split(10000, 123), 10000), other = parts_of(split(10000, 125), 10000);
    if (bad(big) || bad(other) || big == other || big != parts_of(split(10000, 123), 10000)) return false;
    for (std::size_t start = 0; start < 10000; start += 1000) {  // 100 of each thousand, 9 is the standard deviation
        const auto here = big.begin() + int(start);
        if (std::count(here, here + 1000, 'c') < 30 || std::count(here, here + 1000, 'c') > 200) return false;
    }
    int equal = 0;  // neighbours in the same part: 0.66 of them, where all is chance
    for (std::size_t at = 1; at < big.size(); ++at) equal += big[at] == big[at - 1];
    if (equal > 7000) return false;
    for (const std::size_t sample : {0, 1, 49, 98, 99}) {
        int times = 0;
        for (unsigned seed = 0; seed < 400; ++seed) {
            const auto part = parts_of(split(100, seed), 100);
            if (bad(part)) return false;
            times += part[sample] == 'c';
        }
        if (times < 8 || times > 120) return false;
    }
    return true;
}
