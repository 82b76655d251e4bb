#pragma once
/// @file
/// Texts as JSON strings.
#include <string>
#include <string_view>

#include <recto/base/config.hpp>

namespace RECTO::io {

/// The text in quotation marks as a JSON string: a newline becomes `\n`, other control characters become `\u0007` and
/// so on, bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace RECTO::io
