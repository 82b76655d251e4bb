#pragma once
/// @file
/// The contents of a file of numbers, as lines of text.
#include <string>

#include <recto/base/config.hpp>

namespace RECTO::inspect {

/// Reads a whole IDX, safetensors or GGUF file through a buffer of one mebibyte, checks everything, and lists the contents:
/// names, types, shapes, positions of the bytes, minimum, mean, maximum, NaNs. Shows progress on a terminal.
/// @throws Error `path: byte N: reason`
std::string listing_of(const std::string& path);

}  // namespace RECTO::inspect
