#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

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
    std::vector<TextChoice> texts;
    for (const NumberChoice& c : choices) {
        check(std::isfinite(c.number), "ask: wanted finite numbers to choose from for \"{}\", got {}", question,
              c.number);
        texts.push_back({written(c.number, key), c.why});
    }
    const std::string answer = written(key.value, key);
    if (std::none_of(texts.begin(), texts.end(), [&](const TextChoice& c) { return c.text == answer; })) {
        ++quiz.unanswered;
        if (standard())
            broken(where, fmt::format("broken question: {}: the program computed {}, and no choice says so", question,
                                      answer));
    }
    ask(quiz, question, answer, texts, where);
}

void ask(Quiz& quiz, std::string_view question, std::string_view key, const std::vector<TextChoice>& choices,
         Place where) {
    check(choices.size() == 4, "ask: wanted four answers to \"{}\", got {}", question, choices.size());
    for (auto c = choices.begin(); c != choices.end(); ++c)
        check(std::none_of(choices.begin(), c, [&](const TextChoice& before) { return before.text == c->text; }),
              "ask: wanted four different answers to \"{}\", got \"{}\" twice", question, c->text);
    std::vector<Choice> judged;
    for (const TextChoice& c : choices) judged.push_back({c.text, c.text == key, c.why});
    if (std::count_if(judged.begin(), judged.end(), [](const Choice& c) { return c.right; }) != 1) ++quiz.unclear;
    ask(question, judged, where);
    quiz.asked = kept();
}

}  // namespace RECTO::book
