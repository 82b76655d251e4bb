#pragma once
/// @file
/// Texts for the tests of tokenizers.
#include <cstdint>
#include <string>
#include <vector>

#include <recto/core/random.hpp>
#include <recto/io/utf8.hpp>

namespace RECTO::testing {

/// Valid UTF-8: characters of one to four bytes with equal probability.
inline std::string random_utf8(Generator& random, Index most = 30) {
    constexpr Index ends[] = {0, 0x80, 0x800, 0x10000, 0x110000};
    std::string text;
    for (Index left = random.next_integer(0, most + 1); left > 0; --left) {
        const Index bytes = random.next_integer(0, 4);
        const Index c = random.next_integer(ends[bytes], ends[bytes + 1]);
        io::append_utf8(text, c >= 0xD800 && c < 0xE000 ? 'x' : std::uint32_t(c));
    }
    return text;
}

/// Random bytes.
inline std::string random_bytes(Generator& random, Index most = 30) {
    std::string text;
    for (Index left = random.next_integer(0, most + 1); left > 0; --left) text += char(random.next_integer(0, 256));
    return text;
}

/// A few letters and spaces, so that pairs repeat.
inline std::string random_words(Generator& random, Index length, Index letters = 3) {
    std::string text;
    for (Index i = 0; i < length; ++i) {
        const Index which = random.next_integer(0, letters + 1);
        text += which == letters ? ' ' : char('a' + which);
    }
    return text;
}

/// Texts that make careless tokenizers fail.
inline std::vector<std::string> odd_texts() {
    using namespace std::string_literals;
    return {"",
            " ",
            "\0"s,
            "a\0b\0\0"s,
            "\xC3",
            "\xC3\xA9",
            "\xA9\xC3",
            "\xF4\x90\x80\x80 \xED\xA0\x80",
            "\xEF\xBB\xBFhello",
            "a  b   c\t\n  d",
            "don't -- 3.14  <end>\r\n",
            std::string(1000, ' '),
            std::string(1000, 'a')};
}

}  // namespace RECTO::testing
