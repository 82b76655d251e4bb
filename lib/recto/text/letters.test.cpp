#include <recto/text/letters.hpp>

#include <recto/testing/testing.hpp>

using namespace recto;

TEST_CASE("letters: some of each kind, and their neighbours", "[text]") {
    for (const char32_t c : U"aZäßЖ漢あ𝒜") CHECK(text::is_letter(c) == (c != 0));
    for (const char32_t c : U"09²Ⅷ৪½") CHECK(text::is_number(c) == (c != 0));
    for (const char32_t c : U" \t\n\r\u00a0\u2003\u3000") CHECK(text::is_space(c) == (c != 0));
    for (const char32_t c : U"!_-€🙂\u200b\u0301") {
        CHECK(!text::is_letter(c));
        CHECK(!text::is_number(c));
        CHECK(!text::is_space(c));
    }
    CHECK(!text::is_letter('@'));
    CHECK(!text::is_letter('['));
    CHECK(!text::is_number('/'));
    CHECK(!text::is_number(':'));
    CHECK(!text::is_letter(0x10FFFF));
}
