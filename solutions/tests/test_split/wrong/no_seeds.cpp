// wrong: one-seed
#include "test_split.hpp"

#include <algorithm>
#include <numeric>

namespace {

using Samples = std::vector<int>;

Samples sorted(Samples samples) {
    std::sort(samples.begin(), samples.end());
    return samples;
}

// The sizes are right, and each sample is in one part, once.
bool whole(const Split& parts, int count) {
    if (int(parts.train.size()) != count * 8 / 10 || int(parts.validation.size()) != count / 10) return false;
    Samples all = parts.train, wanted(static_cast<std::size_t>(count));
    all.insert(all.end(), parts.validation.begin(), parts.validation.end());
    all.insert(all.end(), parts.test.begin(), parts.test.end());
    std::iota(wanted.begin(), wanted.end(), 0);
    return sorted(all) == wanted;
}

// A tenth of the neighbours of what is in a tenth of the samples is in it too.
bool neighbours_part(const Samples& test) {
    const auto accompanied = [&](int sample) { return std::find(test.begin(), test.end(), sample + 1) != test.end(); };
    return std::count_if(test.begin(), test.end(), accompanied) < 50;
}

}  // namespace

bool test_split(Splitter split) {
    for (int count = 0; count < 50; ++count)
        if (!whole(split(count, 5), count)) return false;
    const Samples first = split(1000, 5).test;
    if (sorted(split(1000, 5).test) != sorted(first)) return false;
    return neighbours_part(first);
}
