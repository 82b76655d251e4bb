#pragma once
/// @file
/// Untrusted text, escaped so that it cannot control the terminal.
#include <string>
#include <string_view>

#include <recto/base/config.hpp>

namespace RECTO::io {

/// The text on one line and without power over a terminal: control characters, invisible ones and those that turn
/// the direction of writing become `\u001b`, bytes that are no UTF-8 `\xff`, a backslash two.
std::string escaped(std::string_view text);

}  // namespace RECTO::io
