#include <recto/io/json_string.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <recto/io/utf8.hpp>

namespace RECTO::io {

std::string json_string(std::string_view text) {
    std::string out(1, '"');
    while (!text.empty()) {
        const auto [bytes, c] = first_character(text);
        if (bytes == 0)
            append_utf8(out, 0xFFFD);
        else if (c == '"' || c == '\\')
            (out += '\\') += char(c);
        else if (c == '\n')
            out += "\\n";
        else if (c < 0x20)
            out += fmt::format("\\u{:04x}", c);
        else
            out += text.substr(0, bytes);
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    return out + '"';
}

}  // namespace RECTO::io
