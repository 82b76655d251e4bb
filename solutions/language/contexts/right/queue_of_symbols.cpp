// A queue of the symbols before, and a selection in a single walk.
#include "contexts.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <random>

std::pair<Matrix, std::vector<int>> make_contexts(const std::vector<std::string>& words, int length) {
    std::vector<std::deque<int>> rows;
    std::vector<int> targets;
    for (std::string word : words) {
        word += char('a' - 1);
        std::deque<int> before(std::size_t(length), 0);
        for (const char letter : word) {
            rows.push_back(before);
            targets.push_back(letter - 'a' + 1);
            before.push_back(targets.back());
            before.pop_front();
        }
    }
    Matrix contexts(int(rows.size()), length);
    for (int row = 0; row < contexts.rows; ++row)
        for (int col = 0; col < length; ++col) contexts(row, col) = rows[std::size_t(row)][std::size_t(col)];
    return std::make_pair(contexts, targets);
}

// A selection in one walk: the chance of a place is what is still wanted over what is left.
Split split(const std::vector<std::string>& words, int seed) {
    std::map<std::string, int> times;
    for (const std::string& word : words) ++times[word];
    std::minstd_rand random(unsigned(seed) + 1u);
    random.discard(20);
    int left = int(times.size()), dev = left / 10, test = left / 10;
    Split parts;
    for (const auto& [word, unused] : times) {
        const int drawn = std::uniform_int_distribution<int>(0, left-- - 1)(random);
        if (drawn < dev) {
            parts.dev.push_back(word);
            --dev;
        } else if (drawn < dev + test) {
            parts.test.push_back(word);
            --test;
        } else {
            parts.train.push_back(word);
        }
    }
    return parts;
}
