// Makes the words different with std::unique, and runs the contexts over one long padded string.
#include "contexts.hpp"

#include <algorithm>
#include <random>

std::pair<Matrix, std::vector<int>> make_contexts(const std::vector<std::string>& words, int length) {
    std::vector<double> rows;
    std::vector<int> targets;
    for (const std::string& word : words) {
        const std::string padded = std::string(std::size_t(length), '`') + word + '`';  // the character before 'a'
        for (std::size_t at = 0; at + std::size_t(length) < padded.size(); ++at) {
            for (int k = 0; k < length; ++k) rows.push_back(padded[at + std::size_t(k)] - '`');
            targets.push_back(padded[at + std::size_t(length)] - '`');
        }
    }
    Matrix contexts(int(targets.size()), length);
    contexts.numbers = rows;
    return {contexts, targets};
}

Split split(const std::vector<std::string>& words, int seed) {
    std::vector<std::string> order = words;
    std::sort(order.begin(), order.end());
    order.erase(std::unique(order.begin(), order.end()), order.end());
    std::mt19937 random(static_cast<unsigned>(seed));
    std::shuffle(order.begin(), order.end(), random);
    const auto tenth = long(order.size()) / 10;
    const auto dev = order.end() - 2 * tenth, test = order.end() - tenth;
    return {{order.begin(), dev}, {dev, test}, {test, order.end()}};
}
