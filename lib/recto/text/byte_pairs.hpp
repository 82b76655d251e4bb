#pragma once
/// @file
/// Byte-pair encoding: tokens between bytes and words.
#include <cstdint>
#include <memory>

#include <recto/text/tokenizer.hpp>

namespace RECTO::text {

/// Two tokens that become one.
struct Merge {
    Index left;   ///< the first
    Index right;  ///< the one after it

    bool operator==(const Merge&) const = default;  ///< The same two.
};

/// A tokenizer that begins with bytes and puts frequent neighbours together (Gage, 1994; Sennrich et al., 2016). Tokens
/// 0 to 255 are the bytes; token 256 + i is what merge i makes of two earlier ones. Text is cut into pieces first (see
/// each_piece()), so that no token reaches over the end of a word.
///
/// In a piece the merges are made in their order, each wherever it can be, from left to right. So a tokenizer that has
/// the first merges of another never needs fewer tokens than that one, for any text.
class BytePairs {
public:
    static constexpr Index longest_token = 1024;       ///< The most bytes of a token.
    static constexpr Index most_merges = 1 << 20;      ///< The most merges.
    static constexpr Index most_bytes = 64 * 1048576;  ///< The most bytes of all tokens.

    /// @throws Error when a merge names a token that is not there yet, comes twice or makes too long a token
    explicit BytePairs(std::vector<Merge> merges = {});

    std::vector<Index> encode(std::string_view text) const;   ///< n bytes without a gap in time n log n.
    std::string decode(std::span<const Index> tokens) const;  ///< @throws Error for an unknown token
    Index size() const { return Index(tokens_.size()); }  ///< How many tokens there are: 256 and one for each merge.

    const std::vector<Merge>& merges() const { return merges_; }  ///< In their order.
    std::string_view bytes(Index token) const;                    ///< What a token stands for. @throws Error
    /// The token that two become, or -1.
    Index merged(Index left, Index right) const;
    /// The tokenizer with the first merges only, so that there are `size` tokens. @throws Error unless there are as many
    BytePairs first(Index size) const;

private:
    struct Pair {
        std::uint64_t key;
        Index token;
    };
    void encode_piece(std::string_view piece, std::vector<Index>& to) const;

    std::vector<Merge> merges_;
    std::vector<std::string> tokens_;
    std::vector<Pair> pairs_;  // sorted by key: to look one up takes no longer for merges that mean harm
};

}  // namespace RECTO::text
