// Padded strings, and a drawn number for each word.
#include "contexts.hpp"

#include <algorithm>
#include <cstdint>
#include <random>

std::pair<Matrix, std::vector<int>> make_contexts(const std::vector<std::string>& words, int length) {
    std::size_t places = 0;
    for (const std::string& word : words) places += word.size() + 1;
    Matrix contexts(int(places), length);
    std::vector<int> targets;
    for (const std::string& word : words) {
        const std::string padded = std::string(std::size_t(length), '`') + word + '`';  // the character before 'a'
        for (std::size_t at = std::size_t(length); at < padded.size(); ++at) {
            for (int k = 1; k <= length; ++k) contexts(int(targets.size()), length - k) = padded[at - std::size_t(k)] - '`';
            targets.push_back(padded[at] - '`');
        }
    }
    return {contexts, targets};
}

// Every word draws a number, and the order of these numbers decides.
Split split(const std::vector<std::string>& words, int seed) {
    std::vector<std::string> once = words;
    std::sort(once.begin(), once.end());
    once.erase(std::unique(once.begin(), once.end()), once.end());
    std::mt19937_64 random(std::uint64_t(seed) * 7919 + 1);
    std::vector<std::pair<std::uint64_t, std::string>> drawn;
    for (const std::string& word : once) drawn.emplace_back(random(), word);
    std::sort(drawn.begin(), drawn.end());
    Split found;
    for (std::size_t k = 0; k < drawn.size(); ++k) {
        auto& list = k < once.size() / 10 ? found.test : k < 2 * (once.size() / 10) ? found.dev : found.train;
        list.push_back(drawn[k].second);
    }
    return found;
}
