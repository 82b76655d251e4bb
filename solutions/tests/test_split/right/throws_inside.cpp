// Checks that throw where something is wrong; sets for the samples, and mean places for chance.
#include "test_split.hpp"

#include <numeric>
#include <stdexcept>

namespace {

void require(bool holds) {
    if (!holds) throw std::runtime_error("the contract is broken");
}

using Set = std::set<int>;
Set set_of(const std::vector<int>& samples) { return {samples.begin(), samples.end()}; }

void partition(Splitter split) {
    for (int count = 0; count < 80; count += count < 45 ? 1 : 7) {
        const Split got = split(count, unsigned(count) + 40);
        require(int(got.train.size()) == 4 * count / 5 && int(got.validation.size()) == count / 10);
        require(got.train.size() + got.validation.size() + got.test.size() == std::size_t(count));
        Set all = set_of(got.train);
        all.merge(set_of(got.validation));
        all.merge(set_of(got.test));
        require(int(all.size()) == count && (count == 0 || (*all.begin() == 0 && *all.rbegin() == count - 1)));
    }
}

void seeds(Splitter split) {
    std::set<Set> seen;
    for (unsigned seed = 1; seed <= 8; ++seed) seen.insert(set_of(split(500, seed).test));
    require(seen.size() == 8);
    for (unsigned seed = 8; seed >= 1; --seed) seen.insert(set_of(split(500, seed).test));
    require(seen.size() == 8);
    const Set small = set_of(split(40, 9).test);
    split(41, 10);
    require(set_of(split(40, 9).test) == small);
}

void chance(Splitter split) {
    std::vector<int> tested(10, 0), validated(10, 0);
    for (unsigned seed = 1000; seed < 1500; ++seed) {
        const Split got = split(10, seed);
        for (const int sample : got.test) ++tested.at(std::size_t(sample));
        for (const int sample : got.validation) ++validated.at(std::size_t(sample));
    }
    for (const int times : tested) require(times > 0 && times < 250);
    for (const int times : validated) require(times > 0 && times < 250);
    int runs = 0;  // neighbours that are both in the test part: about 20 of 2000 samples
    const Set test = set_of(split(2000, 4).test);
    for (const int sample : test) runs += int(test.count(sample + 1));
    require(runs < 70);
}

}  // namespace

bool test_split(Splitter split) {
    try {
        partition(split);
        seeds(split);
        chance(split);
    } catch (const std::exception&) {
        return false;
    }
    return true;
}
