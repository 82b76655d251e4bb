#pragma once
/// @file
/// Text from strangers: is it UTF-8, and how is it shown without letting it steer the terminal?
#include <string>
#include <string_view>

#include <recto/base/config.hpp>

namespace RECTO::io {

/// Is this valid UTF-8: every character in its shortest form, none beyond U+10FFFF, no half of a surrogate pair?
bool is_utf8(std::string_view text);

/// The text on one line and without power over a terminal: control characters, invisible ones and those that turn
/// the direction of writing become `\u001b`, bytes that are no UTF-8 `\xff`, a backslash two.
std::string escaped(std::string_view text);

}  // namespace RECTO::io
