#pragma once
/// @file
/// The tokenizer of Llama, as files with published weights carry it.
#include <string>
#include <unordered_map>
#include <vector>

#include <recto/text/tokenizer.hpp>

namespace RECTO::text {

/// What a token of SentencePieces is, by the numbers that files use.
enum class PieceKind {
    normal = 1,   ///< A piece of text.
    unknown = 2,  ///< Stands for text that has no token.
    control = 3,  ///< A mark without text.
    user = 4,     ///< A piece of text that was added by hand.
    unused = 5,   ///< Nothing.
    byte = 6,     ///< A single byte, written as `<0x0A>`.
};

/// Pieces of text with scores (Kudo and Richardson, 2018, *SentencePiece*, in its form with byte pairs). A text gets a
/// space before it, and spaces become U+2581. It begins as single characters; then the two neighbours whose union is the
/// token of highest score are united, the leftmost of equal ones, until no union is a token. Characters without a token
/// become their bytes.
class SentencePieces {
public:
    /// @param tokens  the vocabulary, in the order of its numbers   @param scores  the score of each
    /// @param kinds   the PieceKind of each
    /// @throws Error when their numbers differ
    SentencePieces(std::vector<std::string> tokens, std::vector<double> scores, const std::vector<Index>& kinds);

    std::vector<Index> encode(std::string_view text) const;   ///< @throws Error at text that no token stands for
    std::string decode(std::span<const Index> tokens) const;  ///< The text without its first space. @throws Error
    /// The bytes of one token, as it stands within a text. @throws Error for an unknown token
    const std::string& bytes(Index token) const;
    Index size() const { return Index(bytes_.size()); }  ///< Number of tokens.

private:
    std::unordered_map<std::string, Index> known_;  // pieces that may be united, as files write them
    std::vector<double> scores_;
    std::vector<std::string> bytes_;     // of each token
    std::vector<Index> byte_, unknown_;  // the tokens of single bytes, -1 for none; tokens for anything unknown
};

}  // namespace RECTO::text
