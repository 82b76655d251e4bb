#pragma once
/// @file
/// Text cut into pieces about as long as words.
#include <string_view>

#include <recto/base/config.hpp>

namespace RECTO::text {

/// The length of the piece at the beginning of `text`, 0 only when it is empty. A piece is
///
/// * letters: of ASCII, or any bytes from 128 on, which are parts of all other letters (and signs);
/// * digits;
/// * other signs, control characters among them;
/// * or white space;
///
/// as many of one kind as follow each other, and before letters, digits and signs a single space, if there is one; white
/// space ends one byte earlier then. So words take the space before them along. Looks at each byte of a piece once, and
/// at two more.
std::size_t piece_length(std::string_view text);

/// Calls `take(piece)` for every piece; together they are the text.
template <class Take>
void each_piece(std::string_view text, Take&& take) {
    while (!text.empty()) {
        const std::size_t length = piece_length(text);
        take(text.substr(0, length));
        text.remove_prefix(length);
    }
}

}  // namespace RECTO::text
