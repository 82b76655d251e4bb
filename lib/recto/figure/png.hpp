#pragma once
/// @file
/// Writes images as PNG in memory.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <recto/base/config.hpp>

namespace RECTO::figure {

/// A PNG file's bytes.
///
/// @param channels  1 grey, 2 grey and alpha, 3 RGB, 4 RGBA
/// @param pixels    rows from the top, 0 to 255. @throws Error when their number is not width x height x channels
std::string png(int width, int height, int channels, std::span<const std::uint8_t> pixels);

/// Bytes as text in base 64, with padding.
std::string base64(std::string_view bytes);

/// A PNG as `data:image/png;base64,...`, which a specification may contain.
std::string data_uri(std::string_view png);

}  // namespace RECTO::figure
