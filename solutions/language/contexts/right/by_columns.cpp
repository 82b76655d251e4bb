// Fills the matrix from behind, place by place, looking back into the word.
#include "contexts.hpp"

#include <algorithm>
#include <random>
#include <set>

std::pair<Matrix, std::vector<int>> make_contexts(const std::vector<std::string>& words, int length) {
    int places = 0;
    for (const std::string& word : words) places += int(word.size()) + 1;
    Matrix contexts(places, length);
    std::vector<int> targets(std::size_t(places), 0);
    for (auto word = words.rbegin(); word != words.rend(); ++word)
        for (int at = int(word->size()); at >= 0; --at) {
            --places;
            if (at < int(word->size())) targets[std::size_t(places)] = (*word)[std::size_t(at)] - 'a' + 1;
            for (int back = 1; back <= length && back <= at; ++back)
                contexts(places, length - back) = (*word)[std::size_t(at - back)] - 'a' + 1;
        }
    return {contexts, targets};
}

Split split(const std::vector<std::string>& words, int seed) {
    const std::set<std::string> once(words.begin(), words.end());
    std::vector<std::string> order(once.begin(), once.end());
    std::mt19937 random(static_cast<unsigned>(seed));
    std::shuffle(order.begin(), order.end(), random);
    const auto tenth = long(order.size()) / 10;
    const auto dev = order.end() - 2 * tenth, test = order.end() - tenth;
    return {{order.begin(), dev}, {dev, test}, {test, order.end()}};
}
