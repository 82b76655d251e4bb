#pragma once
/// @file
/// Reads and writes byte-pair merges as a text file.
#include <recto/text/byte_pairs.hpp>

namespace RECTO::text {

/// Writes a tokenizer, safe against crashes: a line `recto byte pairs 1`, one with the number of merges, and a line
/// `left right` for each of them. @throws Error when the file cannot be written
void save_byte_pairs(const std::string& path, const BytePairs& tokenizer);

/// Reads such a file. The file is untrusted: numbers are checked before memory is allocated, and a file with another
/// layout is rejected.
/// @throws Error `path: byte N: reason`, also for merges that BytePairs rejects
BytePairs load_byte_pairs(const std::string& path);

}  // namespace RECTO::text
