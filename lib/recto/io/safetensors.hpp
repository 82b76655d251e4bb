#pragma once
/// @file
/// The header of a safetensors file: a flat piece of JSON, read without trust.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <recto/core/shape.hpp>

namespace RECTO::io {

/// One tensor as the header declares it.
struct Declared {
    std::string name;  ///< what it is called
    std::string type;  ///< such as `F32`
    Shape shape;       ///< its extents
    Index begin = 0;   ///< where its bytes begin, counted from the end of the header ...
    Index end = 0;     ///< ... and where they end
    Index place = 0;   ///< where in the header it is declared, for messages
};

/// Everything that a header declares.
struct SafetensorsHeader {
    std::vector<Declared> tensors;             ///< sorted by where their bytes lie
    std::map<std::string, std::string> notes;  ///< its `__metadata__`
};

/// What is wrong with a file, and where.
struct BadFile {
    Index place;         ///< byte of the header text
    std::string reason;  ///< in words
};

/// Bytes of one number of that type, 0 when it is not one that can be read here.
Index bytes_of_type(std::string_view type);

/// Reads a header: names without control characters, each once; types, extents and bytes that agree; the bytes
/// one after another without gaps, from 0 to exactly `data_bytes`.
/// @throws BadFile
SafetensorsHeader parse_safetensors(std::string_view text, Index data_bytes);

/// The header text for these declarations, padded with spaces to a multiple of eight bytes.
std::string write_safetensors(const SafetensorsHeader& header);

/// Is this valid UTF-8 without control characters?
bool is_plain_text(std::string_view text);

}  // namespace RECTO::io
