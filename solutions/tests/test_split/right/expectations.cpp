// Counts how often each sample, and each pair of neighbours, lands in the test part, and allows eight standard deviations.
#include "test_split.hpp"

#include <cmath>

namespace {

bool near(int times, int tries, double share) {
    const double expected = tries * share, deviation = std::sqrt(tries * share * (1 - share));
    return std::abs(times - expected) <= 8 * deviation;
}

bool partition(const Split& parts, int count) {
    if (parts.train.size() != std::size_t(count) * 8 / 10 || parts.validation.size() != std::size_t(count) / 10)
        return false;
    if (parts.train.size() + parts.validation.size() + parts.test.size() != std::size_t(count)) return false;
    std::vector<bool> seen(std::size_t(count), false);
    for (const auto* part : {&parts.train, &parts.validation, &parts.test})
        for (const int sample : *part) {
            if (sample < 0 || sample >= count || seen[std::size_t(sample)]) return false;
            seen[std::size_t(sample)] = true;
        }
    return true;
}

}  // namespace

bool test_split(Splitter split) {
    for (int count = 0; count < 100; ++count)
        if (!partition(split(count, unsigned(count)), count)) return false;
    constexpr int count = 100, tries = 1000;
    std::vector<int> alone(count, 0), together(count, 0);
    for (unsigned seed = 0; seed < tries; ++seed) {
        const Split parts = split(count, seed);
        if (!partition(parts, count)) return false;
        std::vector<bool> in_test(count + 1, false);
        for (const int sample : parts.test) in_test[std::size_t(sample)] = true;
        for (std::size_t sample = 0; sample < count; ++sample) {
            alone[sample] += in_test[sample];
            together[sample] += in_test[sample] && in_test[sample + 1];
        }
    }
    for (int sample = 0; sample < count; ++sample) {
        if (!near(alone[std::size_t(sample)], tries, 0.1)) return false;
        if (sample + 1 < count && !near(together[std::size_t(sample)], tries, 0.1 * 9 / 99)) return false;
    }
    const auto first = split(count, 1).test;
    return split(count, 1).test == first && split(count, 2).test != first && split(count, 3).test != first;
}
