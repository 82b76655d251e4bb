// wrong: wants-one-way
// Requires every split to give the same numbers as its own shuffle.
#include "test_split.hpp"

#include <numeric>
#include <random>
#include <utility>

bool test_split(Splitter split) {
    for (const int count : {0, 7, 10, 15, 100}) {
        std::vector<int> order(static_cast<std::size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        std::mt19937 dice(5);
        for (std::size_t i = 1; i < order.size(); ++i)
            std::swap(order[i], order[std::uniform_int_distribution<std::size_t>(0, i)(dice)]);
        Split parts = split(count, 5);
        parts.train.insert(parts.train.end(), parts.validation.begin(), parts.validation.end());
        parts.train.insert(parts.train.end(), parts.test.begin(), parts.test.end());
        if (parts.train != order) return false;
    }
    return true;
}
