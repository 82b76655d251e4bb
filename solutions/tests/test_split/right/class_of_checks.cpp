// A class that keeps what it has seen; the seeds are large, the checks run in the order of the contract.
#include "test_split.hpp"

#include <map>
#include <set>

namespace {

class Checker {
public:
    explicit Checker(Splitter split) : split_(split) {}

    bool all() {
        for (int count = 40; count-- > 0;)
            if (!place(count, 4000000000u)) return false;
        for (unsigned seed = 5000; seed < 5300; ++seed)
            if (!place(25, seed)) return false;
        return everywhere() && apart() && seeds();
    }

private:
    using Places = std::map<int, int>;  // the part of each sample

    bool place(int count, unsigned seed) {
        const Split parts = split_(count, seed);
        Places places;
        int sizes[3] = {}, part = 0;
        for (const auto& samples : {parts.train, parts.validation, parts.test}) {
            for (const int sample : samples)
                if (!places.emplace(sample, part).second) return false;
            sizes[part++] = int(samples.size());
        }
        if (int(places.size()) != count) return false;
        if (count > 0 && (places.begin()->first != 0 || places.rbegin()->first != count - 1)) return false;
        if (count == 25) splits_.push_back(places);
        return sizes[0] == count * 4 / 5 && sizes[1] == count / 10;
    }
    bool everywhere() const {
        for (int sample = 0; sample < 25; ++sample) {
            std::set<int> parts;
            for (const Places& places : splits_) parts.insert(places.at(sample));
            if (parts.size() != 3) return false;
        }
        return true;
    }
    // Neighbours are in different parts often enough: for one pair the chance is about a third.
    bool apart() const {
        for (int sample = 1; sample < 25; ++sample) {
            int different = 0;
            for (const Places& places : splits_) different += places.at(sample) != places.at(sample - 1);
            if (different < 40) return false;
        }
        return true;
    }
    bool seeds() const {
        const auto of = [this](unsigned seed) {
            const auto part = split_(500, seed).train;
            return std::set<int>(part.begin(), part.end());
        };
        const auto one = of(1), three = of(3), five = of(5);
        return one != three && three != five && one != five && one == of(1) && five == of(5);
    }

    Splitter split_;
    std::vector<Places> splits_;
};

}  // namespace

bool test_split(Splitter split) { return Checker(split).all(); }
