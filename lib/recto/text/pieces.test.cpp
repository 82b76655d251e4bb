#include <recto/text/pieces.hpp>

#include <recto/testing/testing.hpp>
#include <recto/testing/texts.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

std::vector<std::string> pieces(std::string_view text) {
    std::vector<std::string> made;
    text::each_piece(text, [&](std::string_view piece) { made.emplace_back(piece); });
    return made;
}

}  // namespace

TEST_CASE("pieces: words take the space before them along", "[text][pieces]") {
    using Pieces = std::vector<std::string>;
    CHECK(pieces("").empty());
    CHECK(pieces("We the  People, 1787.") == Pieces{"We", " the", " ", " People", ",", " 1787", "."});
    CHECK(pieces(" ") == Pieces{" "});
    CHECK(pieces("  ") == Pieces{"  "});
    CHECK(pieces("   a") == Pieces{"  ", " a"});
    CHECK(pieces("\n\n  a\t b") == Pieces{"\n\n ", " a", "\t", " b"});
    CHECK(pieces("a \n") == Pieces{"a", " \n"});
    CHECK(pieces("na\xC3\xAFve abc123 --x") == Pieces{"na\xC3\xAFve", " abc", "123", " --", "x"});
    CHECK(pieces(std::string("a\0\x7F"
                             "b",
                             4)) == Pieces{"a", std::string("\0\x7F", 2), "b"});
}

TEST_CASE("pieces: together they are the text, and a long one is found in one go", "[text][pieces]") {
    Generator random(1);
    std::vector<std::string> texts = odd_texts();
    for (int i = 0; i < 2000; ++i) texts.push_back(i % 2 ? random_bytes(random) : random_words(random, 40));
    for (const std::string& text : texts) {
        std::string joined;
        for (const std::string& piece : pieces(text)) {
            CHECK_FALSE(piece.empty());
            joined += piece;
        }
        CHECK(joined == text);
    }
    CHECK(pieces(std::string(3'000'000, ' ')).size() == 1);
    CHECK(pieces(std::string(3'000'000, 'x')).size() == 1);
    std::string alternating;
    for (int i = 0; i < 500'000; ++i) alternating += " \n";
    CHECK(pieces(alternating + "a").size() == 2);
}
