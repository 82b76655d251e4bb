#include <recto/text/sentence_pieces.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <recto/testing/testing.hpp>

using namespace recto;

namespace {
/// A few pieces with scores, then all bytes.
text::SentencePieces some() {
    std::vector<std::string> tokens{"<unk>", "<s>", "\u2581",  "a",        "b",           "c",
                                    "ab",    "bc",  "\u2581a", "\u2581ab", "\u2581\u2581"};
    std::vector<double> scores{0, 0, -9, -9, -9, -9, -2, -1, -3, -4, -5};
    std::vector<Index> kinds{2, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    for (int byte = 0; byte < 256; ++byte)
        tokens.push_back(fmt::format("<0x{:02X}>", byte)), scores.push_back(0), kinds.push_back(6);
    return {tokens, scores, kinds};
}
}  // namespace

TEST_CASE("SentencePieces: the best union first, and back", "[text][pieces]") {
    const text::SentencePieces t = some();
    CHECK(t.encode("abc") == std::vector<Index>{8, 7});  // bc is better than ab, then the space and a
    CHECK(t.encode("ab") == std::vector<Index>{2 + 7});  // ab first, then with the space
    CHECK(t.encode("") == std::vector<Index>{});
    CHECK(t.encode("a  b") == std::vector<Index>{8, 10, 4});
    CHECK(t.encode("x\n") == std::vector<Index>{2, 11 + 'x', 11 + '\n'});
    CHECK(t.encode("ä") == std::vector<Index>{2, 11 + 0xC3, 11 + 0xA4});
    CHECK(t.decode(std::vector<Index>{1, 8, 7, 2, 4}) == "abc b");
    for (const std::string& text :
         {std::string("abc cba  b"), std::string("größer\n\xff"), std::string(" a"), std::string()})
        CHECK(t.decode(t.encode(text)) == text);
}

TEST_CASE("SentencePieces: text without a token", "[text][pieces]") {
    const text::SentencePieces unknown({"<unk>", "a"}, {0, 0}, {2, 1}), none({"a"}, {0}, {1});
    CHECK(unknown.encode("a") == std::vector<Index>{0, 0, 0, 1});  // the three bytes of the mark
    CHECK_THROWS_WITH(none.encode("a"), "SentencePieces: there is no token for byte 226");
}

TEST_CASE("SentencePieces: messages", "[text][pieces]") {
    CHECK_THROWS_WITH(text::SentencePieces({"a"}, {}, {1}),
                      "SentencePieces: wanted a score and a kind for each of 1 tokens, got 0 and 1");
    CHECK_THROWS_WITH(text::SentencePieces({"<0xZZ>"}, {0}, {6}),
                      "SentencePieces: wanted a byte such as <0x0A> as token 0");
    CHECK_THROWS_WITH(text::SentencePieces({"a"}, {NAN}, {1}), "SentencePieces: wanted scores, got NaN for token 0");
    CHECK_THROWS(some().decode(std::vector<Index>{1000}));
}
