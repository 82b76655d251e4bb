#include <recto/text/tokenizer.hpp>

#include <recto/testing/testing.hpp>
#include <recto/testing/texts.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("tokenizers: 10,000 random texts come back", "[text][tokenizer][row:sys-tokenizer/a]") {
    Generator random(1);
    for (int i = 0; i < 10'000; ++i) {
        const std::string text = i % 2 == 0 ? random_utf8(random) : random_bytes(random);
        const text::Characters characters(text);
        const text::WithMarks marked(characters, {"begin", "end"});
        REQUIRE(text::Bytes().decode(text::Bytes().encode(text)) == text);
        REQUIRE(characters.decode(characters.encode(text)) == text);
        REQUIRE(marked.decode(marked.encode(text)) == text);
    }
    for (const std::string& text : odd_texts()) {
        CHECK(text::Bytes().decode(text::Bytes().encode(text)) == text);
        CHECK(text::Characters(text).decode(text::Characters(text).encode(text)) == text);
    }
}

TEST_CASE("tokenizers: what the tokens are", "[text][tokenizer][row:sys-tokenizer/b]") {
    CHECK(text::Bytes().encode("a\xC3\xA9") == std::vector<Index>{'a', 0xC3, 0xA9});
    const text::Characters characters(
        "b\xC3\xA9"
        "ab\xFF");
    CHECK(characters.size() == 4);
    CHECK(characters.encode("ab\xC3\xA9\xFF") == std::vector<Index>{0, 1, 2, 3});
    CHECK(text::Characters("").size() == 0);
    CHECK(text::Characters("").encode("").empty());

    const text::WithMarks marked(text::Bytes(), {"begin", "end"});
    CHECK(marked.size() == 258);
    CHECK(marked.mark("end") == 257);
    CHECK(marked.encode("<end>end").size() == 8);  // no text is encoded to a mark
    CHECK(marked.decode(std::vector<Index>{256, 'h', 257, 'i', 257}) == "hi");
}

TEST_CASE("tokenizers: lengths of characters", "[text][tokenizer]") {
    CHECK(text::character_length("") == 0);
    CHECK(text::character_length("ab") == 1);
    CHECK(text::character_length("\xC3\xA9"
                                 "a") == 2);
    CHECK(text::character_length("\xE2\x82\xAC") == 3);
    CHECK(text::character_length("\xF0\x9F\x98\x80") == 4);
    for (const char* bad :
         {"\xC3",
          "\xC3"
          "a",
          "\x80\x80", "\xC0\xAF", "\xE2\x82", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80", "\xFF"})
        CHECK(text::character_length(bad) == 1);
}

TEST_CASE("tokenizers: messages", "[text][tokenizer]") {
    const text::Characters characters("abc");
    CHECK_THROWS_WITH(characters.encode("ab\xC3\xA9"),
                      "Characters: byte 2: wanted one of the 3 characters, got '\xC3\xA9'");
    CHECK_THROWS_WITH(characters.encode("\x1B"), "Characters: byte 0: wanted one of the 3 characters, got '\\u001b'");
    CHECK_THROWS_WITH(characters.decode(std::vector<Index>{0, 3}),
                      "Characters: wanted tokens from 0 to 2, got 3 at place 1");
    CHECK_THROWS_WITH(text::Bytes().decode(std::vector<Index>{256}),
                      "Bytes: wanted tokens from 0 to 255, got 256 at place 0");
    CHECK_THROWS_WITH(text::Bytes().decode(std::vector<Index>{7, -1}),
                      "Bytes: wanted tokens from 0 to 255, got -1 at place 1");
    CHECK_THROWS_WITH(text::WithMarks(characters, {"a", "b", "a"}), "WithMarks: wanted each name once, got 'a' twice");
    const text::WithMarks marked(characters, {"end"});
    CHECK_THROWS_WITH(marked.mark("begin"), "WithMarks: there is no mark 'begin'");
    CHECK_THROWS_WITH(marked.decode(std::vector<Index>{4}), "WithMarks: wanted tokens from 0 to 3, got 4 at place 0");
}
