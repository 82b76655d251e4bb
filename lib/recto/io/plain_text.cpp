#include <recto/io/plain_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include <recto/io/utf8.hpp>

namespace RECTO::io {
namespace {

/// Control characters of both sets (U+009B begins an escape sequence like ESC [), characters without width, characters
/// that change the direction of writing, separators of lines.
bool is_hidden(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || c >= 0xE0000;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto [length, c] = first_character(text);
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
