#include <recto/text/context_free.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::text;

namespace {

// Tokens 0 and 1; a text 2 is made of the symbols 3 and 4. It has 3 to 6 tokens, and 11010 has two trees.
ContextFreeGrammar small() {
    return ContextFreeGrammar(2, {{2, {3, 4}, 3},
                                  {2, {4, 3, 3}, 1},
                                  {3, {0}, 1},
                                  {3, {0, 1}, 2},
                                  {3, {1, 0}, 1},
                                  {4, {0, 0}, 1},
                                  {4, {1, 1}, 3}});
}

// Brackets, in which a rule uses its own symbol: 0 opens, 1 closes.
ContextFreeGrammar brackets() { return ContextFreeGrammar(2, {{2, {0, 1}, 2}, {2, {0, 2, 1}, 1}, {2, {2, 2}, 0.5}}); }

// Two to three rules of two or three parts for each symbol of three levels.
ContextFreeGrammar any_grammar(Generator& random) {
    std::vector<GrammarRule> rules;
    for (Index level = 0; level < 3; ++level)
        for (Index s = 0; s < (level == 0 ? 1 : 3); ++s)
            for (Index r = random.next_integer(2, 4); r > 0; --r) {
                GrammarRule rule{level == 0 ? 3 : 1 + 3 * level + s, {}, 0.5 + random.next_uniform()};
                for (Index p = random.next_integer(2, 4); p > 0; --p)
                    rule.parts.push_back(level == 2 ? random.next_integer(0, 3)
                                                    : 4 + 3 * level + random.next_integer(0, 3));
                rules.push_back(rule);
            }
    return ContextFreeGrammar(3, rules);
}

// The definition by recursion: the probability that these parts become this text.
double by_recursion(const ContextFreeGrammar& grammar, std::span<const Index> parts, std::span<const Index> text) {
    if (parts.empty()) return text.empty() ? 1 : 0;
    if (parts.size() > text.size()) return 0;
    if (parts.size() > 1) {
        double sum = 0;
        for (std::size_t n = 1; n < text.size(); ++n)
            sum += by_recursion(grammar, parts.first(1), text.first(n)) *
                   by_recursion(grammar, parts.subspan(1), text.subspan(n));
        return sum;
    }
    if (parts[0] < grammar.tokens()) return text.size() == 1 && text[0] == parts[0] ? 1 : 0;
    double sum = 0, weights = 0;
    for (const GrammarRule& rule : grammar.rules()) {
        if (rule.symbol != parts[0]) continue;
        weights += rule.weight;
        sum += rule.weight * by_recursion(grammar, rule.parts, text);
    }
    return sum / weights;
}

std::vector<Index> bits(Index number, Index length) {
    std::vector<Index> text;
    for (Index i = 0; i < length; ++i) text.push_back(number >> i & 1);
    return text;
}

}  // namespace

TEST_CASE("context_free: every sample parses, and its tree uses the rules",
          "[text][context_free][row:sys-cfg-corpus/a]") {
    Generator random(1);
    Index foreign = 0;
    for (int g = 0; g < 20; ++g) {
        const ContextFreeGrammar grammar = any_grammar(random);
        for (int n = 0; n < 20; ++n) {
            const ParsedText made = grammar.sample(random);
            CHECK(grammar.membership(made.tokens).belongs);
            CHECK((made.constituents[0].begin == 0 && made.constituents[0].end == std::ssize(made.tokens)));
            std::vector<Index> other = made.tokens;
            Index& token = other[std::size_t(random.next_integer(0, std::ssize(other)))];
            token = (token + 1) % 3;
            const bool belongs = grammar.membership(other).belongs;
            CHECK(belongs == (grammar.probability(other) > 0));
            foreign += !belongs;
        }
    }
    CHECK(foreign > 40);  // the test says no, too
}

TEST_CASE("context_free: samples follow the probabilities", "[text][context_free]") {
    const ContextFreeGrammar grammar = small();
    Generator random(2);
    const std::vector<Index> text = {1, 1, 0, 1, 0};
    const Index n = 40'000;
    Index seen = 0;
    for (Index i = 0; i < n; ++i) seen += grammar.sample(random).tokens == text;
    const double p = grammar.probability(text);
    CHECK(std::abs(p - 0.25 * 0.75 * (0.25 * 0.25 + 0.5 * 0.25)) <= 1e-12);
    CHECK(std::abs(double(seen) / double(n) - p) < 4 * std::sqrt(p * (1 - p) / double(n)));
}

TEST_CASE("context_free: inside probabilities against the recursion", "[text][context_free]") {
    Generator random(3);
    for (const ContextFreeGrammar& grammar : {small(), brackets()})
        for (Index length = 1; length <= 8; ++length)
            for (int n = 0; n < 12; ++n) {
                const std::vector<Index> text = bits(random.next_integer(0, Index(1) << length), length);
                const std::vector<Index> root = {grammar.root()};
                const double want = by_recursion(grammar, root, text);
                CHECK(std::abs(grammar.probability(text) - want) <= 1e-12);
                CHECK(grammar.membership(text).belongs == (want > 0));
            }
}

TEST_CASE("context_free: the probabilities of all texts sum to 1", "[text][context_free][row:sys-cfg-corpus/b]") {
    const ContextFreeGrammar grammar = small();
    double sum = 0;
    Index possible = 0, texts = 0;
    for (Index length = 1; length <= 7; ++length)
        for (Index number = 0; number < Index(1) << length; ++number, ++texts) {
            const double p = grammar.probability(bits(number, length));
            sum += p, possible += p > 0;
        }
    CHECK(std::abs(sum - 1) <= 1e-9);
    CHECK((possible > 10 && possible < texts / 2));
}

TEST_CASE("context_free: counted operations grow as the cube of the length",
          "[text][context_free][row:sys-cfg-corpus/c]") {
    const ContextFreeGrammar grammar = brackets();
    CHECK(grammar.pairs() == 4);
    Index before = 0;
    for (Index n = 1; n <= 64; n *= 2) {
        const Index counted = grammar.membership(std::vector<Index>(std::size_t(n), 0)).operations;
        CHECK(counted == grammar.pairs() * (n * n * n - n) / 6);
        if (n >= 16) CHECK(std::abs(double(counted) / double(before) / 8 - 1) <= 0.02);
        before = counted;
    }
}

TEST_CASE("context_free: texts of three levels", "[text][context_free]") {
    const ContextFreeGrammar grammar = three_levels();
    Generator random(6);
    Index shortest = 99, longest = 0;
    for (int n = 0; n < 5000; ++n) {
        const ParsedText made = grammar.sample(random);
        shortest = std::min(shortest, std::ssize(made.tokens)), longest = std::max(longest, std::ssize(made.tokens));
        for (const Constituent& c : made.constituents) {
            CHECK(c.depth == (c.symbol == 3 ? 0 : c.symbol <= 6 ? 1 : 2));
            if (c.depth == 2) CHECK((c.end - c.begin == 2 || c.end - c.begin == 3));
        }
    }
    CHECK((shortest >= 24 && shortest < 27 && longest > 33 && longest <= 36));
}

TEST_CASE("context_free: the ends of constituents", "[text][context_free]") {
    const ContextFreeGrammar grammar(3, {{3, {4, 5}}, {4, {0, 1}}, {5, {4, 2}}});
    Generator random(4);
    const ParsedText made = grammar.sample(random);
    CHECK(made.tokens == std::vector<Index>{0, 1, 0, 1, 2});
    REQUIRE(made.constituents.size() == 4);
    const Constituent last = made.constituents.back();
    CHECK((last.symbol == 4 && last.begin == 2 && last.end == 4 && last.depth == 2));
    CHECK(symbols_ending(made, 0) == std::vector<Index>{-1, -1, -1, -1, 3});
    CHECK(symbols_ending(made, 1) == std::vector<Index>{-1, 4, -1, -1, 5});
    CHECK(symbols_ending(made, 2) == std::vector<Index>{-1, -1, -1, 4, -1});
    CHECK(symbols_ending(made, 3) == std::vector<Index>(5, -1));
    const InsideChart chart = grammar.inside(made.tokens);
    CHECK(chart.at(5, 2, 5) == 1);
    CHECK(chart.at(4, 2, 5) == 0);
    CHECK(chart.at(2, 4, 5) == 1);
}

TEST_CASE("context_free: edges and messages", "[text][context_free]") {
    const ContextFreeGrammar one(1, {{1, {0}}});
    Generator random(5);
    CHECK(one.sample(random).tokens == std::vector<Index>{0});
    CHECK(one.membership(std::vector<Index>{0}).belongs);
    CHECK_FALSE(one.membership(std::vector<Index>{}).belongs);
    CHECK(one.probability(std::vector<Index>{}) == 0);
    CHECK_THROWS_WITH(one.membership(std::vector<Index>{1}), "membership: wanted tokens from 0 to 0, got 1");
    CHECK_THROWS_WITH(one.probability(std::vector<Index>{-1}), "inside: wanted tokens from 0 to 0, got -1");
    const auto make = [](Index tokens, std::vector<GrammarRule> rules) {
        ContextFreeGrammar(tokens, std::move(rules));
    };
    CHECK_THROWS_WITH(make(0, {}), "ContextFreeGrammar: wanted at least one token, got 0");
    CHECK_THROWS_WITH(make(1, {}), "ContextFreeGrammar: wanted at least one rule, got none");
    CHECK_THROWS_WITH(make(2, {{1, {0}}}), "ContextFreeGrammar: wanted rules for symbols from 2 on, got one for 1");
    CHECK_THROWS_WITH(make(1, {{1, {0}, 0}}),
                      "ContextFreeGrammar: wanted weights above 0, got 0 for a rule of symbol 1");
    CHECK_THROWS_WITH(make(1, {{1, {0}, std::nan("")}}),
                      "ContextFreeGrammar: wanted weights above 0, got nan for a rule of symbol 1");
    CHECK_THROWS_WITH(make(1, {{2, {0}}}), "ContextFreeGrammar: wanted a rule for each symbol, got none for 1");
    CHECK_THROWS_WITH(make(1, {{1, {0, 2}}}), "ContextFreeGrammar: wanted parts from 0 to 1, got 2");
    CHECK_THROWS_WITH(make(1, {{1, {1}}}),
                      "ContextFreeGrammar: wanted a token or at least two parts, got symbol 1 as "
                      "the only part of a rule of 1");
    CHECK_THROWS_WITH(make(1, {{1, {}}}),
                      "ContextFreeGrammar: wanted a token or at least two parts, got a rule of 1 without");
    const ContextFreeGrammar endless(1, {{1, {0, 1}}});
    CHECK_THROWS_WITH(endless.sample(random),
                      "ContextFreeGrammar: wanted a tree of depth at most 1000, got a deeper one");
}
