#pragma once
/// @file
/// Splits text into pieces about as long as words.
#include <string_view>

#include <recto/base/config.hpp>

namespace RECTO::text {

/// The length of the piece at the beginning of `text`, 0 only if it is empty. A piece is
///
/// * letters: of ASCII, or any bytes from 128 on, which are parts of all other letters (and signs);
/// * digits;
/// * other signs, including control characters;
/// * or white space;
///
/// as many of one kind as follow each other, with a single space before letters, digits and signs, if there is one;
/// white space ends one byte earlier in that case. So words include the space before them. Reads each byte of a piece
/// once, and two more.
std::size_t piece_length(std::string_view text);

/// Calls `take(piece)` for every piece; the pieces together are the text.
template <class Take>
void each_piece(std::string_view text, Take&& take) {
    while (!text.empty()) {
        const std::size_t length = piece_length(text);
        take(text.substr(0, length));
        text.remove_prefix(length);
    }
}

}  // namespace RECTO::text
