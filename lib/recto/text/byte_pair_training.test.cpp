#include <recto/text/byte_pair_training.hpp>

#include <algorithm>
#include <map>

#include <recto/testing/testing.hpp>
#include <recto/testing/texts.hpp>
#include <recto/text/pieces.hpp>

using namespace recto;
using namespace recto::testing;
using text::BytePairs, text::Merge;

namespace {

/// Counts all pairs from scratch, in the text as merged so far.
std::map<std::pair<Index, Index>, Index> recount(const BytePairs& tokenizer, std::string_view text) {
    std::map<std::pair<Index, Index>, Index> counts;
    text::each_piece(text, [&](std::string_view piece) {
        const std::vector<Index> tokens = tokenizer.encode(piece);
        for (std::size_t i = 1; i < tokens.size(); ++i) ++counts[{tokens[i - 1], tokens[i]}];
    });
    return counts;
}

/// The first of the most frequent pairs, in the order of their numbers.
Merge most_frequent(const std::map<std::pair<Index, Index>, Index>& counts, Index& count) {
    count = 0;
    Merge best{-1, -1};
    for (const auto& [pair, n] : counts)
        if (n > count) best = {pair.first, pair.second}, count = n;
    return best;
}

}  // namespace

TEST_CASE("train_byte_pairs: each merge is what a recount would choose", "[text][byte_pair_training][row:sys-bpe/b]") {
    Generator random(1);
    for (int round = 0; round < 40; ++round) {
        const std::string text = round % 4 == 3 ? random_bytes(random, 600)
                                                : random_words(random, random.next_integer(0, 1500), 1 + round % 4);
        const BytePairs trained = text::train_byte_pairs(text, {.size = 300});
        for (Index size = 256; size < trained.size(); ++size) {
            Index count = 0;
            REQUIRE(trained.merges()[std::size_t(size - 256)] ==
                    most_frequent(recount(trained.first(size), text), count));
            REQUIRE(count >= 2);
        }
        if (trained.size() < 300) {  // otherwise no pair is frequent any more
            Index count = 0;
            most_frequent(recount(trained, text), count);
            REQUIRE(count < 2);
        }
    }
}

TEST_CASE("train_byte_pairs: ties, overlaps and ends", "[text][byte_pair_training]") {
    const auto merges = [](std::string_view text, text::BytePairOptions options) {
        return text::train_byte_pairs(text, options).merges();
    };
    using Merges = std::vector<Merge>;
    CHECK(merges("", {}).empty());
    CHECK(merges("abc", {}).empty());  // no pair occurs twice
    CHECK(merges("abc", {.size = 258, .least = 1}) == Merges{{'a', 'b'}, {256, 'c'}});
    CHECK(merges("cdab,abcd", {.size = 257}) == Merges{{'a', 'b'}});  // a tie: the smaller left token first
    CHECK(merges("acab,abac", {.size = 257}) == Merges{{'a', 'b'}});  // then the smaller right token
    CHECK(merges("aaa", {.size = 258}) == Merges{{'a', 'a'}});        // two overlapping positions
    CHECK(merges("ab ab ab", {.size = 300}) == Merges{{'a', 'b'}, {' ', 256}});
    CHECK(text::train_byte_pairs("ab ab", {.size = 256}).size() == 256);
}

TEST_CASE("train_byte_pairs: a million equal bytes, and tokens that would be too long", "[text][byte_pair_training]") {
    const std::string million(1'000'000, ' ');
    const BytePairs trained = text::train_byte_pairs(million, {.size = 400});
    Index longest = 0;
    for (Index token = 0; token < trained.size(); ++token)
        longest = std::max(longest, Index(trained.bytes(token).size()));
    CHECK(longest == BytePairs::longest_token);
    const std::vector<Index> tokens = trained.encode(million);
    CHECK(tokens.size() < 1000);
    CHECK(trained.decode(tokens) == million);
    Generator random(2);  // a single piece without regular repetition
    const std::string noise = [&] {
        std::string text;
        for (const Index letter : random.integers({300'000}, 0, 26).values()) text += char('a' + letter);
        return text;
    }();
    CHECK(text::train_byte_pairs(noise, {.size = 1500}).size() == 1500);
}

TEST_CASE("train_byte_pairs: messages", "[text][byte_pair_training]") {
    CHECK_THROWS_WITH(text::train_byte_pairs("a", {.size = 255}),
                      "train_byte_pairs: wanted a size from 256 to 1048832, got 255");
    CHECK_THROWS_WITH(text::train_byte_pairs("a", {.size = 1048833}),
                      "train_byte_pairs: wanted a size from 256 to 1048832, got 1048833");
    CHECK_THROWS_WITH(text::train_byte_pairs("a", {.least = 0}),
                      "train_byte_pairs: wanted pairs that occur at least once, got 0");
}
