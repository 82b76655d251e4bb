#pragma once
/// @file
/// Byte-pair encoding: tokens between bytes and words.
#include <cstdint>
#include <memory>

#include <recto/text/tokenizer.hpp>

namespace RECTO::text {

/// A pair of tokens that is merged into one.
struct Merge {
    Index left;   ///< the first token
    Index right;  ///< the second token

    bool operator==(const Merge&) const = default;  ///< Whether both merge the same pair.
};

/// A tokenizer that starts with bytes and merges frequent neighbours (Gage, 1994; Sennrich et al., 2016). Tokens 0 to
/// 255 are the bytes; token 256 + i is the result of merge i of two earlier tokens. Text is first split into pieces
/// (see each_piece()), so that no token extends beyond the end of a word.
///
/// Within a piece, merges are applied in their order, each wherever possible, from left to right. So a tokenizer with
/// only the first merges of another never needs fewer tokens than the other, for any text.
class BytePairs {
public:
    static constexpr Index longest_token = 1024;       ///< Maximum number of bytes of a token.
    static constexpr Index most_merges = 1 << 20;      ///< Maximum number of merges.
    static constexpr Index most_bytes = 64 * 1048576;  ///< Maximum number of bytes of all tokens.

    /// @throws Error when a merge refers to a later token, occurs twice or creates a token that is too long
    explicit BytePairs(std::vector<Merge> merges = {});

    std::vector<Index> encode(std::string_view text) const;   ///< Time n log n for n bytes in one piece.
    std::string decode(std::span<const Index> tokens) const;  ///< @throws Error for an unknown token
    Index size() const { return Index(tokens_.size()); }      ///< Number of tokens: 256 and one for each merge.

    /// Appends the tokens of a text that is one piece.
    void encode_piece(std::string_view piece, std::vector<Index>& to) const;

    const std::vector<Merge>& merges() const { return merges_; }  ///< The merges in their order.
    std::string_view bytes(Index token) const;  ///< The bytes of a token. @throws Error for an unknown token
    /// The token that two tokens merge into, or -1.
    Index merged(Index left, Index right) const;
    /// The tokenizer with the first merges only, so that there are `size` tokens. @throws Error unless there are as many
    BytePairs first(Index size) const;

private:
    struct Pair {
        std::uint64_t key;
        Index token;
    };

    std::vector<Merge> merges_;
    std::vector<std::string> tokens_;
    std::vector<Pair> pairs_;  // sorted by key, so that lookup is fast even for malicious merges
};

}  // namespace RECTO::text
