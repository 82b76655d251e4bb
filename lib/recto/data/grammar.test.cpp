#include <recto/data/grammar.hpp>

#include <algorithm>
#include <set>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using data::Sentence, data::Speech;

TEST_CASE("grammar: 48 different words", "[data][grammar]") {
    const std::vector<std::string>& words = data::grammar_words();
    CHECK(words.size() == 48);
    CHECK(std::set<std::string>(words.begin(), words.end()).size() == 48);
    std::vector<std::string> both;
    for (Index word = 0; word < 48; ++word)
        if (data::is_ambiguous(word)) both.push_back(words[std::size_t(word)]);
    CHECK(both == std::vector<std::string>{"walk", "walks", "dream", "dreams", "plan", "plans", "watch", "watches"});
    CHECK_THROWS_WITH(data::is_ambiguous(48), "is_ambiguous: wanted a word from 0 to 47, got 48");
}

TEST_CASE("grammar: verbs agree with their subjects, and only ambiguous words have two parts of speech",
          "[data][grammar]") {
    Generator random(1);
    const std::vector<std::string>& words = data::grammar_words();
    std::vector<std::set<Speech>> seen(words.size());
    std::size_t shortest = 100, longest = 0;
    for (int n = 0; n < 20'000; ++n) {
        const Sentence s = data::sentence(random);
        REQUIRE((s.speech.size() == s.words.size() && s.subject.size() == s.words.size()));
        shortest = std::min(shortest, s.words.size()), longest = std::max(longest, s.words.size());
        for (std::size_t t = 0; t < s.words.size(); ++t) {
            seen[std::size_t(s.words[t])].insert(s.speech[t]);
            CHECK((s.words[t] == 0) == (t + 1 == s.words.size()));
            CHECK((s.subject[t] >= 0) == (s.speech[t] == Speech::verb));
            if (s.speech[t] != Speech::verb) continue;
            const std::size_t noun = std::size_t(s.subject[t]);
            CHECK(s.speech[noun] == Speech::noun);
            const std::string& verb = words[std::size_t(s.words[t])];
            CHECK((verb.back() == 's') == (s.words[noun] % 2 == 0));  // an even noun is singular
        }
    }
    CHECK(shortest == 4);
    CHECK(longest == 14);
    for (std::size_t word = 0; word < words.size(); ++word)
        CHECK(seen[word].size() == (data::is_ambiguous(Index(word)) ? 2 : 1));
}

TEST_CASE("grammar: a text of any length", "[data][grammar]") {
    Generator one(2), two(2);
    const std::vector<Index> text = data::grammar_text(100, one);
    CHECK(text.size() == 100);
    const Sentence first = data::sentence(two);
    CHECK(std::equal(first.words.begin(), first.words.end(), text.begin()));
    CHECK(data::to_text({3, 11, 31, 0}) == "the dogs sleep .");
    CHECK(data::grammar_text(0, one).empty());
    CHECK_THROWS_WITH(data::grammar_text(-1, one), "grammar_text: wanted a length of at least 0, got -1");
    CHECK_THROWS_WITH(data::to_text({48}), "to_text: wanted words from 0 to 47, got 48");
}
