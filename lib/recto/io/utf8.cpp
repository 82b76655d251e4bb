#include <recto/io/utf8.hpp>

namespace RECTO::io {

Character first_character(std::string_view text) {
    constexpr Character invalid{0, 0};
    if (text.empty()) return invalid;
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t more = lead < 0x80 ? 0 : lead >> 5 == 6 ? 1 : lead >> 4 == 14 ? 2 : lead >> 3 == 30 ? 3 : 9;
    if (more == 9 || more >= text.size()) return invalid;
    std::uint32_t c = more == 0 ? lead : lead & (0x3Fu >> more);
    for (std::size_t k = 1; k <= more; ++k) {
        const auto next = static_cast<unsigned char>(text[k]);
        if (next >> 6 != 2) return invalid;
        c = c << 6 | (next & 0x3F);
    }
    constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};  // smaller numbers have a shorter form
    if (c < least[more] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return invalid;
    return {more + 1, c};
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = first_character(text).bytes;
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

void append_utf8(std::string& to, std::uint32_t c) {
    const auto tail = [&](int shift) { to += char(0x80 | (c >> shift & 0x3F)); };
    if (c < 0x80) return void(to += char(c));
    if (c < 0x800) return to += char(0xC0 | c >> 6), tail(0);
    if (c < 0x10000) return to += char(0xE0 | c >> 12), tail(6), tail(0);
    to += char(0xF0 | c >> 18), tail(12), tail(6), tail(0);
}

}  // namespace RECTO::io
