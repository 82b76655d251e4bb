#include <recto/text/byte_pairs.hpp>

#include <recto/testing/testing.hpp>
#include <recto/testing/texts.hpp>
#include <recto/text/byte_pair_training.hpp>
#include <recto/text/pieces.hpp>

using namespace recto;
using namespace recto::testing;
using text::BytePairs, text::Merge;

namespace {

/// The definition: every merge in its turn, from left to right.
std::vector<Index> encode_slowly(const BytePairs& tokenizer, std::string_view text) {
    std::vector<Index> all;
    text::each_piece(text, [&](std::string_view piece) {
        std::vector<Index> tokens = text::Bytes().encode(piece);
        for (std::size_t i = 0; i < tokenizer.merges().size(); ++i) {
            std::vector<Index> merged;
            for (std::size_t at = 0; at < tokens.size(); ++at)
                if (at + 1 < tokens.size() && Merge{tokens[at], tokens[at + 1]} == tokenizer.merges()[i])
                    merged.push_back(256 + Index(i)), ++at;
                else
                    merged.push_back(tokens[at]);
            tokens = merged;
        }
        all.insert(all.end(), tokens.begin(), tokens.end());
    });
    return all;
}

/// Random merges of existing tokens, most of which are useless.
BytePairs random_merges(Generator& random, Index count) {
    std::vector<Merge> merges;
    BytePairs made;
    while (Index(merges.size()) < count) {
        const auto token = [&] {
            const Index known = 3 + Index(merges.size()), which = random.next_integer(0, known);
            return which < 3 ? 'a' + which : 253 + which;
        };
        const Merge merge{token(), token()};
        if (made.merged(merge.left, merge.right) >= 0) continue;
        if (made.bytes(merge.left).size() + made.bytes(merge.right).size() > 20) continue;
        merges.push_back(merge);
        made = BytePairs(merges);
    }
    return made;
}

}  // namespace

TEST_CASE("BytePairs: the same tokens as merging slowly, and the text comes back",
          "[text][byte_pairs][row:sys-bpe/a]") {
    Generator random(1);
    for (int round = 0; round < 60; ++round) {
        const BytePairs tokenizer =
            round % 2 ? random_merges(random, 20)
                      : text::train_byte_pairs(random_words(random, 400), {.size = 256 + random.next_integer(0, 60)});
        for (int i = 0; i < 20; ++i) {
            const std::string text = random_words(random, random.next_integer(0, 60), 3);
            const std::vector<Index> tokens = tokenizer.encode(text);
            REQUIRE(tokens == encode_slowly(tokenizer, text));
            REQUIRE(tokenizer.decode(tokens) == text);
        }
        for (const std::string& text : odd_texts()) REQUIRE(tokenizer.decode(tokenizer.encode(text)) == text);
        const std::string any = random_bytes(random, 300), utf8 = random_utf8(random, 100);
        REQUIRE(tokenizer.decode(tokenizer.encode(any)) == any);
        REQUIRE(tokenizer.decode(tokenizer.encode(utf8)) == utf8);
    }
}

TEST_CASE("BytePairs: with more merges never more tokens", "[text][byte_pairs][row:sys-bpe/c]") {
    Generator random(2);
    for (int round = 0; round < 10; ++round) {
        const BytePairs tokenizer =
            round % 2 ? random_merges(random, 30) : text::train_byte_pairs(random_words(random, 500), {.size = 320});
        const std::string text = random_words(random, 200) + random_bytes(random, 100);
        std::size_t before = text.size();
        for (Index size = 256; size <= tokenizer.size(); ++size) {
            const std::size_t now = tokenizer.first(size).encode(text).size();
            REQUIRE(now <= before);
            before = now;
        }
    }
}

TEST_CASE("BytePairs: a long piece does not take the square of its length", "[text][byte_pairs]") {
    // Doubling: each merge joins two tokens of the merge before. An algorithm of quadratic time would take hours.
    const BytePairs spaces({{' ', ' '}, {256, 256}, {257, 257}, {258, 258}});
    const std::string million(1'000'003, ' ');
    const std::vector<Index> tokens = spaces.encode(million);
    CHECK(tokens.size() == 62'500 + 2);
    CHECK(spaces.decode(tokens) == million);
    const BytePairs step({{'a', 'a'}, {256, 'a'}});
    CHECK(step.encode(std::string(999'999, 'a')).size() == 499'999);
}

TEST_CASE("BytePairs: tokens and what they stand for", "[text][byte_pairs]") {
    const BytePairs tokenizer({{'a', 'b'}, {256, 'c'}, {256, 256}});
    CHECK(tokenizer.size() == 259);
    CHECK(tokenizer.encode("abcabab") == std::vector<Index>{257, 258});
    CHECK(tokenizer.bytes(257) == "abc");
    CHECK(tokenizer.merged('a', 'b') == 256);
    CHECK(tokenizer.merged('b', 'a') == -1);
    CHECK(tokenizer.first(257).encode("abc") == std::vector<Index>{256, 'c'});
    CHECK(BytePairs().size() == 256);
    CHECK(BytePairs({{'a', 'a'}}).encode("aaa") == std::vector<Index>{256, 'a'});
    // No merge beyond the end of a word.
    CHECK(BytePairs({{' ', 'a'}, {'a', ' '}}).encode("a a") == std::vector<Index>{'a', 256});
}

TEST_CASE("BytePairs: messages", "[text][byte_pairs]") {
    CHECK_THROWS_WITH(BytePairs({{'a', 256}}), "BytePairs: merge 0: wanted tokens from 0 to 255, got 97 and 256");
    CHECK_THROWS_WITH(BytePairs({{'a', 'b'}, {-1, 'b'}}),
                      "BytePairs: merge 1: wanted tokens from 0 to 256, got -1 and 98");
    CHECK_THROWS_WITH(BytePairs({{'a', 'b'}, {'b', 'a'}, {'a', 'b'}}), "BytePairs: tokens 97 and 98 are merged twice");
    std::vector<Merge> doubling{{'a', 'a'}};
    while (doubling.size() < 10) doubling.push_back({255 + Index(doubling.size()), 255 + Index(doubling.size())});
    CHECK(BytePairs(doubling).bytes(265).size() == 1024);
    doubling.push_back({265, 'a'});
    CHECK_THROWS_WITH(BytePairs(doubling), "BytePairs: merge 10: wanted a token of at most 1024 bytes, got 1025");
    const BytePairs tokenizer({{'a', 'b'}});
    CHECK_THROWS_WITH(tokenizer.decode(std::vector<Index>{'a', 257}),
                      "BytePairs: wanted tokens from 0 to 256, got 257 at place 1");
    CHECK_THROWS_WITH(tokenizer.bytes(-1), "BytePairs: wanted tokens from 0 to 256, got -1 at place 0");
    CHECK_THROWS_WITH(tokenizer.first(258), "BytePairs: wanted from 256 to 257 tokens, got 258");
    CHECK_THROWS_WITH(tokenizer.first(255), "BytePairs: wanted from 256 to 257 tokens, got 255");
}
