#pragma once
/// @file
/// What is inside a file of numbers, as a text of lines.
#include <string>

#include <recto/base/config.hpp>

namespace RECTO::inspect {

/// Reads a whole IDX or safetensors file through a buffer of one mebibyte, checks all of it, and says what is inside:
/// names, types, shapes, where the bytes lie, minimum, mean, maximum, NaNs. Shows progress on a terminal.
/// @throws Error `path: byte N: reason`
std::string listing_of(const std::string& path);

}  // namespace RECTO::inspect
