#pragma once
/// @file
/// A text as a string of JSON.
#include <string>
#include <string_view>

#include <recto/base/config.hpp>

namespace RECTO::io {

/// The text in quotation marks, as JSON wants it: a line end becomes `\n`, other control characters become `\u0007` and
/// the like, bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace RECTO::io
