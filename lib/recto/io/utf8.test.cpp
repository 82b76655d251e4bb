#include <recto/io/utf8.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace recto;

namespace {
std::string encoded(std::uint32_t code_point) {
    std::string text;
    io::append_utf8(text, code_point);
    return text;
}
}  // namespace

TEST_CASE("utf8: every character is written and read back", "[io]") {
    CHECK(encoded('a') + encoded(0xE9) + encoded(0x20AC) + encoded(0x1D11E) == "a\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E");
    for (std::uint32_t c = 0; c <= 0x110000; ++c) {
        const std::string text = encoded(c);
        const auto [bytes, code_point] = io::first_character(text + "more");
        const bool valid = c < 0x110000 && (c < 0xD800 || c > 0xDFFF);
        if (bytes != (valid ? text.size() : 0) || (valid && code_point != c)) FAIL_CHECK("U+" << c);
    }
}

TEST_CASE("utf8: what is not valid", "[io]") {
    CHECK(io::is_utf8(""));
    CHECK(io::is_utf8(std::string("\0 ä €\n", 9)));
    CHECK(io::first_character("").bytes == 0);
    // Bytes that cannot start a character, overlong forms, a surrogate, numbers beyond Unicode, and truncated
    // characters.
    for (const std::string text : {"\x80", "\xBF", "\xFE", "\xFF", "\xF8\x88\x80\x80\x80", "\xC0\x80", "\xC1\xBF",
                                   "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC3",
                                   "\xE2\x82", "\xF0\x9D\x84", "\xC3(", "\xE2(\xAC", "\xE2\x82("}) {
        CAPTURE(text.size(), int(text[0]), int(text.back()));
        CHECK(io::first_character(text).bytes == 0);
        CHECK_FALSE(io::is_utf8("before " + text));
    }
    CHECK_FALSE(io::is_utf8(std::string(20, '\x9c')));
}
