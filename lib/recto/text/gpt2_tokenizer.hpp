#pragma once
/// @file
/// The tokenizer of GPT-2, as files with published weights carry it.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <recto/text/tokenizer.hpp>

namespace RECTO::text {

/// The length of GPT-2's piece at the beginning of `text`, 0 only if it is empty: a contraction such as `'re`; letters,
/// digits or other signs, with one space before them if there is one; or white space, which leaves its last character to
/// the next piece. (Radford et al., 2019; the pattern of its encoder.py.)
std::size_t gpt2_piece_length(std::string_view text);

/// Byte pairs with the numbering of a published vocabulary. Files write a byte as a character: `!` to `~` and two ranges
/// of Latin-1 stand for themselves, and the other 68 bytes for the characters from 256 on, so that `Ġ` is a space.
class Gpt2Tokenizer {
public:
    /// @param tokens   the vocabulary, in the order of its numbers, written as files do
    /// @param merges   pairs of tokens with a space between them, in their order
    /// @param control  tokens without text, such as an end mark: decode() leaves them out
    /// @throws Error when a merge occurs twice, refers to an unknown token, or makes one that the vocabulary lacks
    Gpt2Tokenizer(std::vector<std::string> tokens, const std::vector<std::string>& merges,
                  const std::vector<Index>& control = {});

    std::vector<Index> encode(std::string_view text) const;   ///< @throws Error at a byte without a token
    std::string decode(std::span<const Index> tokens) const;  ///< @throws Error for an unknown token
    Index size() const { return Index(bytes_.size()); }       ///< Number of tokens.

private:
    std::map<std::pair<Index, Index>, std::pair<Index, Index>> merges_;  // of two tokens: place in the order, result
    std::vector<Index> byte_;                                            // the token of each byte, -1 for none
    std::vector<std::string> bytes_;                                     // of each token
};

}  // namespace RECTO::text
