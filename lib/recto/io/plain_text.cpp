#include <recto/io/plain_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace RECTO::io {
namespace {

/// The length of the character that begins here, 0 when it is no valid one, and the character.
std::size_t next_character(std::string_view text, std::uint32_t& c) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t more = lead < 0x80 ? 0 : lead >> 5 == 6 ? 1 : lead >> 4 == 14 ? 2 : lead >> 3 == 30 ? 3 : 9;
    if (more == 9 || more >= text.size()) return 0;
    c = more == 0 ? lead : lead & (0x3Fu >> more);
    for (std::size_t k = 1; k <= more; ++k) {
        const auto next = static_cast<unsigned char>(text[k]);
        if (next >> 6 != 2) return 0;
        c = c << 6 | (next & 0x3F);
    }
    constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};  // shorter would have done: not allowed
    return c < least[more] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF) ? 0 : more + 1;
}

/// Controls of both sets (U+009B begins an escape sequence as ESC [ does), characters without width, turners of
/// direction, separators of lines.
bool is_hidden(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || c >= 0xE0000;
}

}  // namespace

bool is_utf8(std::string_view text) {
    std::uint32_t c = 0;
    while (!text.empty()) {
        const std::size_t length = next_character(text, c);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string escaped(std::string_view text) {
    std::string out;
    std::uint32_t c = 0;
    while (!text.empty()) {
        const std::size_t length = next_character(text, c);
        if (length == 0)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        else if (c == '\\')
            out += "\\\\";
        else if (is_hidden(c))
            out += c < 0x10000 ? fmt::format("\\u{:04x}", c) : fmt::format("\\U{:08x}", c);
        else
            out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

}  // namespace RECTO::io
