#pragma once
/// @file
/// What Unicode says of characters, as far as tokenizers ask.
#include <cstdint>

#include <recto/base/config.hpp>

namespace RECTO::text {

bool is_letter(std::uint32_t code_point);  ///< Whether its general category is a letter (L).
bool is_number(std::uint32_t code_point);  ///< Whether its general category is a number (N).
bool is_space(std::uint32_t code_point);   ///< Whether it is white space.

}  // namespace RECTO::text
