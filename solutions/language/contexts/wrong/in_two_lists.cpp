// wrong: in-two-lists
#include "contexts.hpp"

#include <algorithm>
#include <random>
#include <set>

std::pair<Matrix, std::vector<int>> make_contexts(const std::vector<std::string>& words, int length) {
    std::vector<double> rows;
    std::vector<int> targets;
    for (const std::string& word : words) {
        std::vector<double> context(std::size_t(length), 0);
        for (std::size_t at = 0; at <= word.size(); ++at) {
            const int target = at < word.size() ? word[at] - 'a' + 1 : 0;
            rows.insert(rows.end(), context.begin(), context.end());
            targets.push_back(target);
            context.erase(context.begin());
            context.push_back(target);
        }
    }
    Matrix contexts(int(targets.size()), length);
    contexts.numbers = rows;
    return {contexts, targets};
}

Split split(const std::vector<std::string>& words, int seed) {
    std::vector<std::string> order = words;
    std::mt19937 random(static_cast<unsigned>(seed));
    std::shuffle(order.begin(), order.end(), random);
    const auto tenth = long(order.size()) / 10;
    const auto dev = order.end() - 2 * tenth, test = order.end() - tenth;
    return {{order.begin(), dev}, {dev, test}, {test, order.end()}};
}
