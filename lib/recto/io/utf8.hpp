#pragma once
/// @file
/// UTF-8: characters as one to four bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <recto/base/config.hpp>

namespace RECTO::io {

/// A character of a text.
struct Character {
    std::size_t bytes;         ///< number of its bytes; 0 if they are not valid UTF-8
    std::uint32_t code_point;  ///< its number in Unicode
};

/// The first character of a text. UTF-8 is valid if every character has its shortest form, none is beyond U+10FFFF, and
/// none is half of a surrogate pair.
Character first_character(std::string_view text);

/// Whether the whole text is valid UTF-8.
bool is_utf8(std::string_view text);

/// Appends the bytes of a character. @param code_point  at most U+10FFFF
void append_utf8(std::string& to, std::uint32_t code_point);

}  // namespace RECTO::io
