// Writes each split as a text with one letter a sample, and looks at texts from then on.
#include "test_split.hpp"

#include <set>
#include <string>

namespace {

// Such as "tttvtttxtt"; empty where a sample is lost, used twice, or no sample.
std::string letters(const Split& parts, int count) {
    std::string text(static_cast<std::size_t>(count), '?');
    const auto put = [&](const std::vector<int>& part, char letter) {
        for (const int sample : part) {
            if (sample < 0 || sample >= count || text[std::size_t(sample)] != '?') return false;
            text[std::size_t(sample)] = letter;
        }
        return true;
    };
    if (!put(parts.train, 't') || !put(parts.validation, 'v') || !put(parts.test, 'x')) return "wrong";
    return text.find('?') == std::string::npos ? text : "wrong";
}

}  // namespace

bool test_split(Splitter split) {
    for (int count = 63; count >= 0; --count) {
        const Split parts = split(count, 77);
        if (letters(parts, count) == "wrong") return false;
        if (int(parts.train.size()) != 8 * count / 10 || int(parts.validation.size()) != count / 10) return false;
    }
    std::set<std::string> texts;
    for (unsigned seed = 0; seed < 40; ++seed) texts.insert(letters(split(200, seed), 200));
    if (texts.size() != 40) return false;
    for (unsigned seed = 0; seed < 40; ++seed) texts.insert(letters(split(200, seed), 200));
    if (texts.size() != 40) return false;
    // In each place each letter comes, and the test letters do not stand in blocks.
    std::vector<std::string> columns(30);
    int blocks = 0, letters_in_all = 0;
    for (unsigned seed = 1000; seed < 1400; ++seed) {
        const std::string text = letters(split(30, seed), 30);
        for (std::size_t at = 0; at < text.size() && at < 30; ++at) columns[at] += text[at];
        for (std::size_t at = 1; at < text.size(); ++at) {
            blocks += text[at] == 'x' && text[at - 1] == 'x';
            letters_in_all += text[at] == 'x';
        }
    }
    for (const std::string& column : columns)
        for (const char letter : {'t', 'v', 'x'})
            if (column.find(letter) == std::string::npos) return false;
    return blocks * 5 < letters_in_all;
}
