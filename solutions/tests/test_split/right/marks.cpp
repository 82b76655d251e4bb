// A mark for each sample instead of sorted lists; counts of how often each sample lands where, and with which neighbour.
#include "test_split.hpp"

#include <array>
#include <cstdlib>

namespace {

// 0, 1 or 2 for the part of every sample; empty if a sample is missing, twice there or none at all.
std::vector<int> parts_of(const Split& split, int count) {
    const std::array<const std::vector<int>*, 3> parts{&split.train, &split.validation, &split.test};
    const std::array<int, 3> sizes{count * 8 / 10, count / 10, count - count * 8 / 10 - count / 10};
    std::vector<int> mark(std::size_t(count), -1);
    for (int k = 0; k < 3; ++k) {
        if (int(parts[k]->size()) != sizes[k]) return {};
        for (const int sample : *parts[k]) {
            if (sample < 0 || sample >= count || mark[std::size_t(sample)] != -1) return {};
            mark[std::size_t(sample)] = k;
        }
    }
    return mark;
}

}  // namespace

bool test_split(Splitter split) {
    for (int count = 0; count <= 130; ++count)
        if (parts_of(split(count, 3), count).size() != std::size_t(count)) return false;
    const auto one = parts_of(split(1000, 11), 1000);
    for (const unsigned seed : {0u, 1u, 2u, 12u, 13u, 1000u, 4000000000u})
        if (parts_of(split(1000, seed), 1000) == one) return false;
    if (parts_of(split(1000, 11), 1000) != one) return false;
    constexpr int count = 20, seeds = 600;
    std::vector<std::array<int, 3>> lands(count, {0, 0, 0});
    int together = 0;
    for (unsigned seed = 0; seed < seeds; ++seed) {
        const auto mark = parts_of(split(count, 77 * seed + 1), count);
        if (mark.empty()) return false;
        for (int k = 0; k < count; ++k) ++lands[std::size_t(k)][std::size_t(mark[std::size_t(k)])];
        for (int k = 1; k < count; ++k) together += mark[std::size_t(k)] == 2 && mark[std::size_t(k) - 1] == 2;
    }
    for (const auto& here : lands)
        if (here[0] < seeds / 2 || here[1] < 10 || here[2] < 10) return false;
    return together < 500;  // about 60 are due
}
