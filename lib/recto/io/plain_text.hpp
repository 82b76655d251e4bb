#pragma once
/// @file
/// Untrusted text, escaped so that it cannot control the terminal.
#include <string>
#include <string_view>

#include <recto/base/config.hpp>

namespace RECTO::io {

/// The text on a single line that cannot control a terminal: control characters, invisible characters and those that
/// change the direction of writing become `\u001b`, bytes that are not UTF-8 become `\xff`, and a backslash is doubled.
std::string escaped(std::string_view text);

}  // namespace RECTO::io
