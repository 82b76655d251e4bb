// A function of place and distance; words leave a set one by one.
#include "contexts.hpp"

#include <cstdint>
#include <iterator>
#include <random>
#include <set>

namespace {

int symbol(const std::string& word, int at) { return at < 0 || at >= int(word.size()) ? 0 : word[std::size_t(at)] - 'a' + 1; }

}  // namespace

std::pair<Matrix, std::vector<int>> make_contexts(const std::vector<std::string>& words, int length) {
    std::pair<Matrix, std::vector<int>> found;
    Matrix& contexts = found.first;
    contexts.cols = length;
    for (const auto& word : words)
        for (int at = 0; at <= int(word.size()); ++at) {
            for (int back = length; back > 0; --back) contexts.numbers.push_back(symbol(word, at - back));
            found.second.push_back(symbol(word, at));
            ++contexts.rows;
        }
    return found;
}

// Takes words out of the set one by one, wherever chance says.
Split split(const std::vector<std::string>& words, int seed) {
    std::set<std::string> left(words.begin(), words.end());
    const std::size_t tenth = left.size() / 10;
    std::mt19937 random{std::uint32_t(seed)};
    const auto take = [&](std::size_t count) {
        std::vector<std::string> list;
        while (list.size() < count) {
            auto chosen = left.begin();
            std::advance(chosen, std::uniform_int_distribution<long>(0, long(left.size()) - 1)(random));
            list.push_back(*chosen);
            left.erase(chosen);
        }
        return list;
    };
    Split parts;
    parts.dev = take(tenth);
    parts.test = take(tenth);
    parts.train.assign(left.begin(), left.end());
    return parts;
}
