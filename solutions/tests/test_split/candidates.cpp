// The candidates of a test for a split of data. judge.py says which of these are right.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "candidates.hpp"
#include "test_split.hpp"

namespace {

using Order = std::vector<int>;

unsigned calls = 0, kept = 0;  // what two implementations keep from call to call

void forget() { calls = 0; }

Order in_order(int count) {
    Order order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

// The first numbers of the order, the next ones, and the rest.
Split cut(const Order& order, int train, int validation) {
    const auto one = order.begin() + train, two = one + validation;
    return {{order.begin(), one}, {one, two}, {two, order.end()}};
}
Split cut(const Order& order) {
    const int count = int(order.size());
    return cut(order, count * 8 / 10, count / 10);
}

// A number from 0 to below - 1.
template <class Dice>
std::size_t below(Dice& dice, std::size_t limit) {
    return std::size_t(std::uniform_int_distribution<std::size_t>(0, limit - 1)(dice));
}

// Exchanges each sample with one that stands before it, or itself; from sample `first` on.
Order shuffled(Order order, unsigned seed, std::size_t first = 1) {
    std::mt19937 dice(seed);
    for (std::size_t i = first; i < order.size(); ++i) std::swap(order[i], order[below(dice, i + 1)]);
    return order;
}
Order shuffled(int count, unsigned seed) { return shuffled(in_order(count), seed); }

Split plain(int count, unsigned seed) { return cut(shuffled(count, seed)); }

Split parts_in_order(int count, unsigned seed) {
    Split parts = plain(count, seed);
    for (Order* part : {&parts.train, &parts.validation, &parts.test}) std::sort(part->begin(), part->end());
    return parts;
}

// A well-mixed number for a sample.
std::uint64_t mixed(std::uint64_t number) {
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9u;
    number = (number ^ (number >> 27)) * 0x94D049BB133111EBu;
    return number ^ (number >> 31);
}

Split sorted_by_numbers(int count, unsigned seed) {
    std::vector<std::pair<std::uint64_t, int>> keys;
    for (int sample = 0; sample < count; ++sample)
        keys.emplace_back(mixed(mixed(seed + 1) + std::uint64_t(sample)), sample);
    std::sort(keys.begin(), keys.end());
    Order order;
    for (const auto& key : keys) order.push_back(key.second);
    return cut(order);
}

// The test part is drawn first, from the end of the samples.
Split test_part_first(int count, unsigned seed) {
    Order order = in_order(count);
    std::minstd_rand dice(unsigned(mixed(seed)) % 2147483646u + 1);
    Split parts;
    for (std::size_t left = order.size(); left > 0; --left) {
        std::swap(order[left - 1], order[below(dice, left)]);
        Order& part = int(parts.test.size()) < count - count * 8 / 10 - count / 10 ? parts.test
                      : int(parts.validation.size()) < count / 10                  ? parts.validation
                                                                                   : parts.train;
        part.push_back(order[left - 1]);
    }
    return parts;
}

// Goes through the samples once and draws for each the part, by the places that are left in it.
Split seat_by_seat(int count, unsigned seed) {
    std::mt19937_64 dice(seed);
    std::size_t train = std::size_t(count) * 8 / 10, validation = std::size_t(count) / 10;
    Split parts;
    for (int sample = 0; sample < count; ++sample) {
        const std::size_t drawn = below(dice, std::size_t(count - sample));
        if (drawn < train) {
            --train;
            parts.train.push_back(sample);
        } else if (drawn < train + validation) {
            --validation;
            parts.validation.push_back(sample);
        } else {
            parts.test.push_back(sample);
        }
    }
    return parts;
}

Split standard_shuffle(int count, unsigned seed) {
    std::mt19937_64 dice(mixed(seed));
    Order order = in_order(count);
    std::reverse(order.begin(), order.end());
    std::shuffle(order.begin(), order.end(), dice);
    return cut(order);
}

Split validation_from_train(int count, unsigned seed) {
    Split parts = plain(count, seed);
    std::copy_n(parts.train.begin(), parts.validation.size(), parts.validation.begin());
    return parts;
}

Split test_is_validation(int count, unsigned seed) {
    Split parts = plain(count, seed);
    std::copy_n(parts.validation.begin(), parts.validation.size(), parts.test.begin());
    return parts;
}

Split with_replacement(int count, unsigned seed) {
    std::mt19937 dice(seed);
    Order order = in_order(count);
    for (int& sample : order) sample = int(below(dice, order.size()));
    return cut(order);
}

Split from_one(int count, unsigned seed) {
    Order order = shuffled(count, seed);
    for (int& sample : order) ++sample;
    return cut(order);
}

Split rest_is_lost(int count, unsigned seed) {
    Split parts = plain(count, seed);
    parts.test.resize(std::size_t(count) / 10);
    return parts;
}

Split rounded(int count, unsigned seed) {
    const int train = (count * 8 + 5) / 10;
    return cut(shuffled(count, seed), train, std::min(count - train, (count + 5) / 10));
}

Split rest_to_train(int count, unsigned seed) {
    return cut(shuffled(count, seed), count - 2 * (count / 10), count / 10);
}

Split exchanged(int count, unsigned seed) {
    Split parts = plain(count, seed);
    std::swap(parts.validation, parts.test);
    return parts;
}

Split never_empty(int count, unsigned seed) {
    if (count < 10) throw std::invalid_argument("split: at least ten samples are due");
    return plain(count, seed);
}

Split never_nothing(int count, unsigned seed) {
    if (count == 0) throw std::invalid_argument("split: there is nothing to split");
    return plain(count, seed);
}

// The sizes are right; where they do not come out even, one sample stands in for another.
// Where the count ends in 3, the sample in the middle stands in the places of its neighbours: the sum of all is what it was.
Split one_for_its_neighbours(int count, unsigned seed) {
    Split parts = plain(count, seed);
    const int middle = count / 2;
    for (std::vector<int>* part : {&parts.train, &parts.validation, &parts.test})
        for (int& sample : *part)
            if (count % 10 == 3 && std::abs(sample - middle) == 1) sample = middle;
    return parts;
}

Split one_twice(int count, unsigned seed) {
    Split parts = plain(count, seed);
    if (count % 10 == 7) parts.test.back() = parts.train.front();
    return parts;
}

Split remembers(int count, unsigned seed) { return plain(count, seed + calls++); }

Split first_seed(int count, unsigned seed) {
    if (calls++ == 0) kept = seed;
    return plain(count, kept);
}

Split half_shuffled(int count, unsigned seed) {
    Order order = in_order(count);
    Order back(order.begin() + count / 2, order.end());
    back = shuffled(back, seed);
    std::copy(back.begin(), back.end(), order.begin() + count / 2);
    return cut(order);
}

// Every part is shuffled, after the cut.
Split shuffled_too_late(int count, unsigned seed) {
    Split parts = cut(in_order(count));
    for (Order* part : {&parts.train, &parts.validation, &parts.test}) *part = shuffled(*part, seed);
    return parts;
}

Split rotated(int count, unsigned seed) {
    Order order = in_order(count);
    if (count > 0) std::rotate(order.begin(), order.begin() + int(mixed(seed) % std::uint64_t(count)), order.end());
    return cut(order);
}

// Leaves the first sample where it is: it always lands in the training part.
Split first_stays(int count, unsigned seed) {
    Order order = in_order(count);
    if (count > 1) {
        const Order rest = shuffled(Order(order.begin() + 1, order.end()), seed);
        std::copy(rest.begin(), rest.end(), order.begin() + 1);
    }
    return cut(order);
}

// The last sample always lands in the test part.
Split last_stays(int count, unsigned seed) {
    Order order = shuffled(std::max(0, count - 1), seed);
    if (count > 0) order.push_back(count - 1);
    return cut(order);
}

// Exchanges neighbours only, a few times.
Split neighbours_exchanged(int count, unsigned seed) {
    std::mt19937 dice(seed);
    Order order = in_order(count);
    for (int round = 0; round < 3; ++round)
        for (std::size_t i = 1; i < order.size(); ++i)
            if (below(dice, 2) == 1) std::swap(order[i - 1], order[i]);
    return cut(order);
}

// Pairs of neighbours stay together.
Split pairs(int count, unsigned seed) {
    Order order;
    for (const int pair : shuffled((count + 1) / 2, seed))
        for (const int sample : {2 * pair, 2 * pair + 1})
            if (sample < count) order.push_back(sample);
    return cut(order);
}

struct Numbered {
    int number;
    Split (*split)(int count, unsigned seed);
};

const Numbered candidates[] = {
    {1, plain},
    {2, parts_in_order},
    {3, sorted_by_numbers},
    {4, test_part_first},
    {5, seat_by_seat},
    {6, standard_shuffle},
    {11, validation_from_train},
    {12, test_is_validation},
    {13, with_replacement},
    {14, from_one},
    {15, rest_is_lost},
    {16, rounded},
    {17, rest_to_train},
    {18, exchanged},
    {19, never_empty},
    {20, one_twice},
    {21, [](int, unsigned) { return Split(); }},
    {22, [](int count, unsigned) { return plain(count, 42); }},
    {23, [](int count, unsigned seed) { return plain(count, seed % 2); }},
    {24, remembers},
    {25, first_seed},
    {26, [](int count, unsigned seed) { return plain(count, count < 100 ? seed : 7); }},
    {27, [](int count, unsigned) { return cut(in_order(count)); }},
    {28, half_shuffled},
    {29, shuffled_too_late},
    {30, rotated},
    {32, first_stays},
    {33, last_stays},
    {34, neighbours_exchanged},
    {35, pairs},
    {36, never_nothing},
    {37, one_for_its_neighbours},
};

const Numbered& candidate(int number) {
    for (const Numbered& each : candidates)
        if (each.number == number) return each;
    throw std::invalid_argument("split: there is no candidate " + std::to_string(number));
}

const Numbered* chosen = nullptr;

std::tuple<Order, Order, Order> split(int count, long seed) {
    Split parts = chosen->split(count, unsigned(seed));
    return {std::move(parts.train), std::move(parts.validation), std::move(parts.test)};
}
const kit::Function split_("split", split);

}  // namespace

void kit::choose(int number) {
    chosen = &candidate(number);
    forget();
}
