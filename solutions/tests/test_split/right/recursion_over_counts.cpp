// Counts checked by recursion, bit fields for the samples, and a random walk through the seeds.
#include "test_split.hpp"

#include <numeric>
#include <random>

using Bits = std::vector<bool>;

static bool mark(Bits& bits, const std::vector<int>& part) {
    for (const int sample : part) {
        if (sample < 0 || sample >= int(bits.size()) || bits[std::size_t(sample)]) return false;
        bits[std::size_t(sample)] = true;
    }
    return true;
}

static bool whole(Splitter split, int count) {
    if (count < 0) return true;
    const Split parts = split(count, 2024);
    Bits bits(std::size_t(count), false);
    if (!mark(bits, parts.train) || !mark(bits, parts.validation) || !mark(bits, parts.test)) return false;
    if (std::count(bits.begin(), bits.end(), true) != count) return false;
    if (parts.train.size() != std::size_t(count * 8 / 10) || parts.validation.size() != std::size_t(count / 10)) return false;
    return whole(split, count - 1);
}

static Bits tested(Splitter split, int count, unsigned seed) {
    Bits bits(std::size_t(count), false);
    for (const int sample : split(count, seed).test) bits.at(std::size_t(sample)) = true;
    return bits;
}

bool test_split(Splitter split) {
    if (!whole(split, 99)) return false;
    std::mt19937 random(5);
    std::vector<unsigned> seeds{0, 1, 2, 3, 100, 101};
    while (seeds.size() < 12) seeds.push_back(random());
    std::vector<Bits> found;
    for (const unsigned seed : seeds) found.push_back(tested(split, 800, seed));
    for (std::size_t a = 0; a < found.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (found[a] == found[b]) return false;
    for (std::size_t a = 0; a < found.size(); ++a)
        if (tested(split, 800, seeds[a]) != found[a]) return false;
    std::vector<int> often(30, 0), trained(30, 0), validated(30, 0);
    for (int round = 0; round < 700; ++round) {
        const Split parts = split(30, random());
        for (const int sample : parts.test) ++often.at(std::size_t(sample));
        for (const int sample : parts.train) ++trained.at(std::size_t(sample));
        for (const int sample : parts.validation) ++validated.at(std::size_t(sample));
    }
    for (int sample = 0; sample < 30; ++sample)
        if (!often[std::size_t(sample)] || !trained[std::size_t(sample)] || !validated[std::size_t(sample)]) return false;
    int pairs = 0;
    for (const Bits& bits : found)
        for (std::size_t k = 1; k < bits.size(); ++k) pairs += bits[k] && bits[k - 1];
    return pairs < 300;  // of 12 splits with 80 samples each: about 96
}
