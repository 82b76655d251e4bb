#pragma once
/// @file
/// Trains a byte-pair tokenizer on a text.
#include <recto/text/byte_pairs.hpp>

namespace RECTO::text {

/// Options of train_byte_pairs().
struct BytePairOptions {
    Index size = 1024;  ///< how many tokens are wanted, with the 256 bytes
    Index least = 2;    ///< a pair that is rarer is not merged; then there are fewer tokens
};

/// Counts how often each pair of tokens stands side by side in the pieces of a text, makes one token of the most
/// frequent pair, and again, until there are as many tokens as wanted. Of equally frequent pairs the one with the smaller
/// left token is merged, then that with the smaller right one. Places may overlap: `aaa` counts `aa` twice. A pair that
/// would make a token of more than BytePairs::longest_token bytes is passed over.
///
/// Counts are kept up to date: a merge visits only the places of its pair. A queue holds pairs by their counts; those
/// that have fallen since are put back when they come up. So training takes about the time of sorting the text.
/// @throws Error unless size is from 256 to 256 + BytePairs::most_merges, and least at least 1
BytePairs train_byte_pairs(std::string_view text, const BytePairOptions& options = {});

}  // namespace RECTO::text
