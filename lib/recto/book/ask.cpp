#include <algorithm>
#include <cmath>

#include <recto/book/ask.hpp>
#include <recto/book/trace.hpp>

namespace RECTO::book {

void ask(std::string_view question, const std::vector<Choice>& choices, Place where) {
    check(choices.size() >= 2, "ask: wanted at least two answers to \"{}\", got {}", question, choices.size());
    Json list = Json::array();
    print(fmt::format("question: {}", question));
    char letter = 'a';
    for (const Choice& c : choices) {
        check(!c.text.empty() && !c.why.empty(), "ask: wanted every answer to \"{}\" explained, not so \"{}\"",
              question, c.text);
        list.append(Json::object({{"text", c.text}, {"right", c.right}, {"why", c.why}}));
        print(fmt::format("  {} ({}) {}: {}", c.right ? '*' : ' ', letter++, c.text, c.why));
    }
    keep(record("ask", where).add("question", question).add("choices", list));
    const auto right = std::count_if(choices.begin(), choices.end(), [](const Choice& c) { return c.right; });
    if (right != 1 && standard())
        broken(where, fmt::format("broken question: {}: wanted one right answer, got {}", question, right));
}

void ask_number(std::string_view question, Bound answer, double tolerance, std::string_view why, Place where) {
    check(std::isfinite(tolerance) && tolerance >= 0, "ask_number: wanted a tolerance of at least 0, got {}",
          tolerance);
    check(!why.empty(), "ask_number: wanted the answer to \"{}\" explained, got nothing", question);
    keep(record("ask", where)
             .add("question", question)
             .add("answer", answer.value)
             .add("tolerance", tolerance)
             .add("why", why));
    print(fmt::format("question: {}\n  * {}: {}", question, brief(answer.value), why));
    if (!std::isfinite(answer.value) && standard())
        broken(where, fmt::format("broken question: {}: wanted a number, got {}", question, answer.value));
}

}  // namespace RECTO::book
