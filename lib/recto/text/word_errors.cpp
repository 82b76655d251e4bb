#include <recto/text/word_errors.hpp>

#include <algorithm>
#include <numeric>
#include <sstream>

#include <recto/base/check.hpp>

namespace RECTO::text {

std::vector<std::string> words_of(std::string_view text) {
    std::istringstream in{std::string(text)};
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

Index edit_distance(std::span<const std::string> said, std::span<const std::string> wanted) {
    // before[j]: the distance of the words said so far from the first j words wanted
    std::vector<Index> before(wanted.size() + 1);
    std::iota(before.begin(), before.end(), Index(0));
    for (std::size_t i = 0; i < said.size(); ++i) {
        std::vector<Index> after = {Index(i) + 1};
        for (std::size_t j = 0; j < wanted.size(); ++j)
            after.push_back(std::min({before[j] + (said[i] != wanted[j] ? 1 : 0), before[j + 1] + 1, after[j] + 1}));
        before = after;
    }
    return before.back();
}

double word_error_rate(std::span<const std::string> said, std::span<const std::string> wanted) {
    check(said.size() == wanted.size(), "word_error_rate: wanted as many texts said as wanted, got {} and {}",
          said.size(), wanted.size());
    Index errors = 0, words = 0;
    for (std::size_t i = 0; i < said.size(); ++i) {
        const std::vector<std::string> right = words_of(wanted[i]);
        errors += edit_distance(words_of(said[i]), right);
        words += Index(right.size());
    }
    check(words > 0, "word_error_rate: wanted at least one word, got none in {} texts", wanted.size());
    return double(errors) / double(words);
}

}  // namespace RECTO::text
