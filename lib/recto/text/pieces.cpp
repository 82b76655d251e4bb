#include <recto/text/pieces.hpp>

namespace RECTO::text {
namespace {

enum class Kind { letter, digit, sign, white };

Kind kind(char c) {
    const auto byte = static_cast<unsigned char>(c), lower = static_cast<unsigned char>(byte | 0x20);
    if (byte >= 0x80 || (lower >= 'a' && lower <= 'z')) return Kind::letter;
    if (byte >= '0' && byte <= '9') return Kind::digit;
    return byte == ' ' || (byte >= '\t' && byte <= '\r') ? Kind::white : Kind::sign;
}

}  // namespace

std::size_t piece_length(std::string_view text) {
    if (text.empty()) return 0;
    const bool space = text[0] == ' ' && text.size() > 1 && kind(text[1]) != Kind::white;
    std::size_t end = space ? 2 : 1;
    const Kind first = kind(text[end - 1]);
    while (end < text.size() && kind(text[end]) == first) ++end;
    // The last of several spaces belongs to the next piece.
    if (first == Kind::white && end > 1 && end < text.size() && text[end - 1] == ' ') --end;
    return end;
}

}  // namespace RECTO::text
