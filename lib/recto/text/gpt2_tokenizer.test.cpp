#include <recto/text/gpt2_tokenizer.hpp>

#include <string>
#include <vector>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;
using Pieces = std::vector<std::string>;

namespace {
Pieces pieces_of(std::string_view text) {
    Pieces pieces;
    while (!text.empty()) {
        const std::size_t length = text::gpt2_piece_length(text);
        pieces.emplace_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return pieces;
}
/// All bytes in the order of their numbers, then `more`.
std::vector<std::string> vocabulary(std::vector<std::string> more) {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte) {
        const bool plain = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
        static int next = 0;
        if (byte == 0) next = 256;
        const int code = plain ? byte : next++;
        tokens.push_back(code < 128 ? std::string(1, char(code))
                                    : std::string{char(0xC0 | code >> 6), char(0x80 | (code & 63))});
    }
    tokens.insert(tokens.end(), more.begin(), more.end());
    return tokens;
}
}  // namespace

TEST_CASE("Gpt2Tokenizer: pieces", "[text][gpt2]") {
    CHECK(pieces_of("Hello world") == Pieces{"Hello", " world"});
    CHECK(pieces_of("I'll say it's 42%, don't you?") ==
          Pieces{"I", "'ll", " say", " it", "'s", " 42", "%,", " don", "'t", " you", "?"});
    CHECK(pieces_of("'stuff") == Pieces{"'s", "tuff"});
    CHECK(pieces_of("a  b   c") == Pieces{"a", " ", " b", "  ", " c"});
    CHECK(pieces_of("a \n b\n\nc  ") == Pieces{"a", " \n", " b", "\n", "\n", "c", "  "});
    CHECK(pieces_of("größer 漢字²x") == Pieces{"größer", " 漢字", "²", "x"});
    CHECK(pieces_of("\xff\xfe A") == Pieces{"\xff\xfe", " A"});
    CHECK(pieces_of("") == Pieces{});
}

TEST_CASE("Gpt2Tokenizer: merges, numbers of the vocabulary, and back", "[text][gpt2]") {
    // Tokens in another order than merges make them: ids are those of the vocabulary.
    const text::Gpt2Tokenizer t(vocabulary({"Ġthe", "<end>", "he", "th", "Ġt"}), {"Ġ t", "h e", "t h", "Ġt he"}, {257});
    CHECK(t.size() == 261);
    CHECK(t.encode("the the") == std::vector<Index>{'t', 258, 256});
    CHECK(t.encode("ath") == std::vector<Index>{'a', 259});
    CHECK(t.encode("<end>").size() == 5);  // no text is encoded to a mark
    CHECK(t.decode(std::vector<Index>{256, 257, 'a'}) == " thea");
    std::string every;
    for (int byte = 0; byte < 256; ++byte) every += char(byte);
    for (const std::string& text : {every, std::string("Ĝ größer \n\t 漢字 🙂"), std::string("a\0b", 3)})
        CHECK(t.decode(t.encode(text)) == text);
}

TEST_CASE("Gpt2Tokenizer: two merges that make the same token", "[text][gpt2]") {
    const text::Gpt2Tokenizer t(vocabulary({"ab", "bc", "abc", "abcd"}), {"b c", "a b", "ab c", "a bc", "abc d"});
    CHECK(t.encode("abcd") == std::vector<Index>{259});
    CHECK(t.encode("abd") == std::vector<Index>{256, 'd'});
}

TEST_CASE("Gpt2Tokenizer: messages", "[text][gpt2]") {
    CHECK_THROWS_WITH(text::Gpt2Tokenizer(vocabulary({"ab"}), {"ab"}),
                      "Gpt2Tokenizer: merge 0: wanted two tokens and a space, got 'ab'");
    CHECK_THROWS_WITH(text::Gpt2Tokenizer(vocabulary({"abc"}), {"ab c"}),
                      "Gpt2Tokenizer: merge 0: wanted tokens of the vocabulary, got 'ab c'");
    CHECK_THROWS_WITH(text::Gpt2Tokenizer(vocabulary({}), {"a b"}),
                      "Gpt2Tokenizer: merge 0: the vocabulary has no 'ab'");
    CHECK_THROWS_WITH(text::Gpt2Tokenizer(vocabulary({"ab"}), {"a b", "a b"}),
                      "Gpt2Tokenizer: merge 1: wanted every merge once, got 'a b' again");
    CHECK_THROWS_WITH(text::Gpt2Tokenizer({"a"}, {}).encode("ab"),
                      "Gpt2Tokenizer: the vocabulary has no token for byte 98");
    CHECK_THROWS(text::Gpt2Tokenizer({"a"}, {}).decode(std::vector<Index>{1}));
    CHECK_THROWS(text::Gpt2Tokenizer({"a"}, {}, {1}));
}
