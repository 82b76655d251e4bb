#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <recto/book/ask.hpp>
#include <recto/book/quiz.hpp>
#include <recto/book/trace.hpp>

namespace RECTO::book {
namespace {

/// A number as a choice shows it: 61,706 bytes.
std::string written(double number, const Computed& like) {
    std::string text = fmt::format("{:.{}f}", number, like.digits);
    if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);  // −0.00
    const bool minus = text.front() == '-';
    if (std::isfinite(number))
        for (std::size_t at = std::min(text.find('.'), text.size()); at > 3u + minus;) text.insert(at -= 3, ",");
    if (minus) text.replace(0, 1, "−");
    return text + like.unit;
}

/// How many questions the trace holds.
Index kept() {
    Index count = 0;
    for (std::size_t at = 0; (at = records().find("{\"kind\":\"ask\"", at)) != std::string::npos; ++at) ++count;
    return count;
}

}  // namespace

void ask(Quiz& quiz, std::string_view question, const Computed& key, const std::vector<NumberChoice>& choices,
         Place where) {
    check(key.digits >= 0 && key.digits <= 12, "ask: wanted 0 to 12 digits for \"{}\", got {}", question, key.digits);
    const std::string answer = written(key.value, key);
    std::vector<TextChoice> texts;
    bool agrees = false;
    for (const NumberChoice& c : choices) {
        check(std::isfinite(c.number), "ask: wanted finite numbers to choose from for \"{}\", got {}", question,
              c.number);
        texts.push_back({written(c.number, key), c.why, c.marked});
        agrees = agrees || (c.marked && texts.back().text == answer);
    }
    if (!agrees) ++quiz.mismatched;
    ask(quiz, question, answer, texts, where);
}

void ask(Quiz& quiz, std::string_view question, std::string_view key, const std::vector<TextChoice>& choices,
         Place where) {
    check(choices.size() == 4, "ask: wanted four answers to \"{}\", got {}", question, choices.size());
    for (auto c = choices.begin(); c != choices.end(); ++c)
        check(std::none_of(choices.begin(), c, [&](const TextChoice& before) { return before.text == c->text; }),
              "ask: wanted four different answers to \"{}\", got \"{}\" twice", question, c->text);
    std::vector<Choice> judged;
    int right = 0, agreed = 0;
    for (const TextChoice& c : choices) {
        judged.push_back({c.text, c.text == key, c.why});
        right += judged.back().right || c.marked;
        agreed += judged.back().right && c.marked;
    }
    if (right != 1 || agreed != 1) {
        ++quiz.unclear;
        if (standard())
            broken(where, fmt::format("broken question: {}: the program computed {}, and {} of the choices that are "
                                      "marked as right {} so",
                                      question, key, agreed, agreed == 1 ? "says" : "say"));
    }
    ask(question, judged, where);
    quiz.asked = kept();
}

}  // namespace RECTO::book
