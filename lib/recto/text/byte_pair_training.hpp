#pragma once
/// @file
/// Trains a byte-pair tokenizer on a text.
#include <recto/text/byte_pairs.hpp>

namespace RECTO::text {

/// Options of train_byte_pairs().
struct BytePairOptions {
    Index size = 1024;  ///< number of tokens, with the 256 bytes
    Index least = 2;    ///< rarer pairs are not merged, even if that leaves fewer tokens
};

/// Counts how often each pair of adjacent tokens occurs in the pieces of a text, merges the most frequent pair into one
/// token, and repeats until there are as many tokens as requested. Of equally frequent pairs, the one with the smaller
/// left token is merged first, then the one with the smaller right token. Positions may overlap: `aaa` counts `aa`
/// twice. A pair whose token would be longer than BytePairs::longest_token bytes is skipped.
///
/// Counts are updated: a merge visits only the positions of its pair. A queue orders pairs by their counts; pairs whose
/// counts have fallen are reinserted when they come up. So training takes about the time of sorting the text.
/// @throws Error unless size is from 256 to 256 + BytePairs::most_merges, and least at least 1
BytePairs train_byte_pairs(std::string_view text, const BytePairOptions& options = {});

}  // namespace RECTO::text
