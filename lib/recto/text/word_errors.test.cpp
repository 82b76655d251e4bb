#include <recto/text/word_errors.hpp>

#include <algorithm>

#include <recto/core/random.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::text;

namespace {

// The definition by recursion: the last words are matched or replaced, or one of them is left out.
Index by_recursion(std::span<const std::string> a, std::span<const std::string> b) {
    if (a.empty() || b.empty()) return Index(a.size() + b.size());
    const auto less_a = a.first(a.size() - 1), less_b = b.first(b.size() - 1);
    return std::min({by_recursion(less_a, less_b) + (a.back() != b.back()), by_recursion(less_a, b) + 1,
                     by_recursion(a, less_b) + 1});
}

}  // namespace

TEST_CASE("edit_distance: against the recursion", "[text][word_errors]") {
    Generator random(1);
    for (int trial = 0; trial < 300; ++trial) {
        std::vector<std::string> a, b;
        for (Index n = random.next_integer(0, 6); n > 0; --n) a.emplace_back(1, char('a' + random.next_integer(0, 3)));
        for (Index n = random.next_integer(0, 6); n > 0; --n) b.emplace_back(1, char('a' + random.next_integer(0, 3)));
        CHECK(edit_distance(a, b) == by_recursion(a, b));
    }
}

TEST_CASE("word_error_rate: by hand", "[text][word_errors]") {
    const std::vector<std::string> wanted = {"one two three", "four"};
    CHECK(word_error_rate(wanted, wanted) == 0);
    CHECK(word_error_rate(std::vector<std::string>{"one three", " five\nfour"}, wanted) ==
          0.5);  // one lost, one too many
    CHECK(word_error_rate(std::vector<std::string>{"", ""}, wanted) == 1);
    CHECK(word_error_rate(std::vector<std::string>{"", "a b c d e f"}, std::vector<std::string>{"", "a"}) == 5);
    CHECK(words_of("  one\ttwo ") == std::vector<std::string>{"one", "two"});
    CHECK_THROWS_WITH(word_error_rate(std::vector<std::string>{"a"}, wanted),
                      "word_error_rate: wanted as many texts said as wanted, got 1 and 2");
    CHECK_THROWS_WITH(word_error_rate(std::vector<std::string>{"a"}, std::vector<std::string>{" "}),
                      "word_error_rate: wanted at least one word, got none in 1 texts");
}
