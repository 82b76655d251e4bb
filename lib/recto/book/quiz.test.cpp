#include <recto/book/quiz.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <recto/book/ask.hpp>
#include <recto/book/trace.hpp>

using namespace recto;
using book::ask, book::is_right, book::Quiz;

namespace {

const std::string bytes = " bytes";

nlohmann::json last() {
    const std::string& all = book::records();
    const std::size_t end = all.find_last_not_of('\n'), begin = all.rfind('\n', end);
    return nlohmann::json::parse(all.substr(begin == std::string::npos ? 0 : begin + 1));
}

}  // namespace

TEST_CASE("quiz: the computed number decides which choice is right", "[book][quiz]") {
    book::start({.silent = true});
    Quiz quiz;
    ask(quiz, "how many?", {1234567, 0, bytes}, {{123, "a"}, {1234, "b"}, {1234567, "c", is_right}, {-1234567, "d"}});
    const nlohmann::json choices = last()["choices"];
    CHECK(choices[0]["text"] == "123 bytes");
    CHECK(choices[1]["text"] == "1,234 bytes");
    CHECK(choices[2]["text"] == "1,234,567 bytes");
    CHECK(choices[3]["text"] == "−1,234,567 bytes");
    for (std::size_t i = 0; i < 4; ++i) CHECK(choices[i]["right"] == (i == 2));
    ask(quiz, "how large?", {std::exp(2.0), 2}, {{7.39, "a", is_right}, {7.38, "b"}, {1000.25, "c"}, {-0.5, "d"}});
    CHECK(last()["choices"][0]["right"] == true);
    CHECK(last()["choices"][2]["text"] == "1,000.25");
    CHECK(last()["choices"][3]["text"] == "−0.50");
    ask(quiz, "how little?", {-0.001, 2}, {{0, "a", is_right}, {0.01, "b"}, {-0.01, "c"}, {1, "d"}});
    CHECK(last()["choices"][0]["text"] == "0.00");
    CHECK(last()["choices"][0]["right"] == true);
    CHECK(quiz.asked == 3);
    CHECK(quiz.mismatched == 0);
    CHECK(quiz.unclear == 0);
    CHECK(book::breakage().empty());
}

TEST_CASE("quiz: a number that is not the marked choice breaks the page", "[book][quiz]") {
    for (const double key : {3.0, 0.994, 2.0, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
        book::start({.silent = true});
        Quiz quiz;
        ask(quiz, "how many?", {key, 2}, {{1, "a", is_right}, {2, "b"}, {4, "c"}, {5, "d"}});
        CHECK(quiz.mismatched == 1);
        CHECK(quiz.unclear == 1);
        CHECK(book::breakage().find("and 0 of the choices that are marked as right say so") != std::string::npos);
    }
    book::start({.silent = true});
    Quiz quiz;
    ask(quiz, "how many?", {0.996, 2}, {{1, "a", is_right}, {2, "b"}, {4, "c"}, {5, "d"}});  // it reads 1.00
    CHECK(quiz.mismatched == 0);
    CHECK(book::breakage().empty());
}

TEST_CASE("quiz: no choice marked, or two", "[book][quiz]") {
    book::start({.silent = true});
    Quiz quiz;
    ask(quiz, "how many?", 2, {{1, "a"}, {2, "b"}, {3, "c"}, {4, "d"}});
    CHECK(quiz.unclear == 1);
    CHECK(quiz.mismatched == 1);
    ask(quiz, "how many?", 2, {{1, "a"}, {2, "b", is_right}, {3, "c", is_right}, {4, "d"}});
    CHECK(quiz.unclear == 2);
    CHECK(quiz.mismatched == 1);
    CHECK_FALSE(book::breakage().empty());
}

TEST_CASE("quiz: texts", "[book][quiz]") {
    book::start({.silent = true});
    Quiz quiz;
    const std::vector<book::TextChoice> choices = {
        {"the first", "a"}, {"the second", "b", is_right}, {"the third", "c"}, {"none", "d"}};
    ask(quiz, "which?", "the second", choices);
    CHECK(last()["choices"][1]["right"] == true);
    CHECK(last()["choices"][1]["why"] == "b");
    CHECK(quiz.unclear == 0);
    CHECK(book::breakage().empty());
    for (const char* key : {"the fourth", "the first", ""}) ask(quiz, "which?", key, choices);
    CHECK(quiz.unclear == 3);
    CHECK(quiz.mismatched == 0);
    CHECK(quiz.asked == 4);
    CHECK(book::breakage().find("wanted one right answer, got 0") != std::string::npos);
}

TEST_CASE("quiz: messages", "[book][quiz]") {
    book::start({.silent = true});
    Quiz quiz;
    const auto throws = [&](const book::Computed& key, const std::vector<book::NumberChoice>& choices,
                            const char* text) {
        CHECK_THROWS_MATCHES(ask(quiz, "q", key, choices), Error, Catch::Matchers::Message(text));
    };
    throws(1, {{1, "a"}, {2, "b"}, {3, "c"}}, "ask: wanted four answers to \"q\", got 3");
    throws(1, {{1, "a"}, {2, "b"}, {3, "c"}, {1, "d"}}, "ask: wanted four different answers to \"q\", got \"1\" twice");
    throws(1, {{1, "a"}, {2, "b"}, {3, "c"}, {3.2, "d"}},
           "ask: wanted four different answers to \"q\", got \"3\" twice");
    throws(1, {{1, "a"}, {2, "b"}, {3, "c"}, {4, ""}}, "ask: wanted every answer to \"q\" explained, not so \"4\"");
    throws(1, {{1, "a"}, {2, "b"}, {3, "c"}, {std::nan(""), "d"}},
           "ask: wanted finite numbers to choose from for \"q\", got nan");
    throws({1, -1}, {{1, "a"}, {2, "b"}, {3, "c"}, {4, "d"}}, "ask: wanted 0 to 12 digits for \"q\", got -1");
    throws({1, 13}, {{1, "a"}, {2, "b"}, {3, "c"}, {4, "d"}}, "ask: wanted 0 to 12 digits for \"q\", got 13");
    CHECK(quiz.asked == 0);
}
