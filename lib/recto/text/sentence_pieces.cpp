#include <recto/text/sentence_pieces.hpp>

#include <cmath>
#include <optional>
#include <utility>

#include <recto/text/unite.hpp>

namespace RECTO::text {
namespace {

constexpr std::string_view mark = "\u2581";  // what a space is written as

std::string with_marks(std::string_view text) {
    std::string made(mark);
    for (const char c : text) c == ' ' ? made.append(mark) : made.append(1, c);
    return made;
}
std::string with_spaces(std::string_view piece) {
    std::string made;
    while (!piece.empty()) {
        const bool space = piece.starts_with(mark);
        made += space ? ' ' : piece[0];
        piece.remove_prefix(space ? mark.size() : 1);
    }
    return made;
}

/// The byte of `<0x0A>`, or -1.
int byte_of(std::string_view token) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return -1;
    const std::size_t high = digits.find(token[3]), low = digits.find(token[4]);
    return high == digits.npos || low == digits.npos ? -1 : int(16 * high + low);
}

}  // namespace

static_assert(Tokenizer<SentencePieces>);

SentencePieces::SentencePieces(std::vector<std::string> tokens, std::vector<double> scores,
                               const std::vector<Index>& kinds)
    : scores_(std::move(scores)), byte_(256, -1) {
    check(scores_.size() == tokens.size() && kinds.size() == tokens.size(),
          "SentencePieces: wanted a score and a kind for each of {} tokens, got {} and {}", tokens.size(),
          scores_.size(), kinds.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto kind = PieceKind(kinds[i]);
        const int byte = kind == PieceKind::byte ? byte_of(tokens[i]) : -1;
        const bool text = kind == PieceKind::normal || kind == PieceKind::user;
        check(kind != PieceKind::byte || byte >= 0, "SentencePieces: wanted a byte such as <0x0A> as token {}", i);
        check(!std::isnan(scores_[i]), "SentencePieces: wanted scores, got NaN for token {}", i);
        if (byte >= 0) byte_[std::size_t(byte)] = Index(i);
        if (kind == PieceKind::unknown) unknown_.push_back(Index(i));
        if (text) known_.emplace(tokens[i], Index(i));
        bytes_.push_back(byte >= 0 ? std::string(1, char(byte)) : text ? with_spaces(tokens[i]) : "");
    }
}

std::vector<Index> SentencePieces::encode(std::string_view text) const {
    if (text.empty()) return {};
    const std::string whole = with_marks(text);
    std::vector<std::string_view> pieces;
    for (std::string_view rest = whole; !rest.empty(); rest.remove_prefix(pieces.back().size()))
        pieces.push_back(rest.substr(0, character_length(rest)));
    unite(pieces, [&](std::string_view left, std::string_view right) {
        const std::string_view both(left.data(), left.size() + right.size());
        const auto found = known_.find(std::string(both));
        return found == known_.end() ? std::nullopt
                                     : std::optional(std::pair(-scores_[std::size_t(found->second)], both));
    });
    std::vector<Index> tokens;
    for (const std::string_view part : pieces) {
        const auto found = known_.find(std::string(part));
        if (found != known_.end()) {
            tokens.push_back(found->second);
            continue;
        }
        for (const char c : part) {
            const Index byte = byte_[static_cast<unsigned char>(c)];
            check(byte >= 0 || !unknown_.empty(), "SentencePieces: there is no token for byte {}",
                  int(static_cast<unsigned char>(c)));
            tokens.push_back(byte >= 0 ? byte : unknown_[0]);
        }
    }
    return tokens;
}

const std::string& SentencePieces::bytes(Index token) const {
    check_tokens("SentencePieces", {&token, 1}, size());
    return bytes_[std::size_t(token)];
}

std::string SentencePieces::decode(std::span<const Index> tokens) const {
    std::string text;
    for (const Index token : tokens) text += bytes(token);
    return text.starts_with(' ') ? text.substr(1) : text;
}

}  // namespace RECTO::text
