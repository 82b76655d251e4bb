#include <recto/text/byte_pairs.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <recto/text/pieces.hpp>
#include <recto/text/unite.hpp>

namespace RECTO::text {
namespace {

std::uint64_t key_of(Index left, Index right) { return std::uint64_t(left) << 32 | std::uint64_t(right); }

}  // namespace

static_assert(Tokenizer<BytePairs>);

BytePairs::BytePairs(std::vector<Merge> merges) : merges_(std::move(merges)) {
    check(Index(merges_.size()) <= most_merges, "BytePairs: wanted at most {} merges, got {}", most_merges,
          merges_.size());
    for (int byte = 0; byte < 256; ++byte) tokens_.emplace_back(1, char(byte));
    Index total = 256;
    for (std::size_t i = 0; i < merges_.size(); ++i) {
        const auto [left, right] = merges_[i];
        const Index made = size();
        check(left >= 0 && left < made && right >= 0 && right < made,
              "BytePairs: merge {}: wanted tokens from 0 to {}, got {} and {}", i, made - 1, left, right);
        const std::string& a = tokens_[std::size_t(left)];
        const std::string& b = tokens_[std::size_t(right)];
        const Index length = Index(a.size() + b.size());
        check(length <= longest_token, "BytePairs: merge {}: wanted a token of at most {} bytes, got {}", i,
              longest_token, length);
        check((total += length) <= most_bytes, "BytePairs: merge {}: all tokens together have more than {} bytes", i,
              most_bytes);
        pairs_.push_back({key_of(left, right), made});
        tokens_.push_back(a + b);
    }
    std::ranges::sort(pairs_, {}, &Pair::key);
    for (std::size_t i = 1; i < pairs_.size(); ++i)
        check(pairs_[i].key != pairs_[i - 1].key, "BytePairs: tokens {} and {} are merged twice", pairs_[i].key >> 32,
              pairs_[i].key & 0xFFFFFFFF);
}

Index BytePairs::merged(Index left, Index right) const {
    const std::uint64_t key = key_of(left, right);
    const auto at = std::ranges::lower_bound(pairs_, key, {}, &Pair::key);
    return at != pairs_.end() && at->key == key ? at->token : -1;
}

std::string_view BytePairs::bytes(Index token) const {
    check_tokens("BytePairs", {&token, 1}, size());
    return tokens_[std::size_t(token)];
}

BytePairs BytePairs::first(Index size) const {
    check(size >= 256 && size <= this->size(), "BytePairs: wanted from 256 to {} tokens, got {}", this->size(), size);
    return BytePairs({merges_.begin(), merges_.begin() + (size - 256)});
}

void BytePairs::encode_piece(std::string_view piece, std::vector<Index>& to) const {
    std::vector<Index> tokens = Bytes().encode(piece);
    unite(tokens, [&](Index left, Index right) {
        const Index made = merged(left, right);  // the earliest merge first
        return made < 0 ? std::nullopt : std::optional(std::pair(made, made));
    });
    to.insert(to.end(), tokens.begin(), tokens.end());
}

std::vector<Index> BytePairs::encode(std::string_view text) const {
    std::vector<Index> tokens;
    each_piece(text, [&](std::string_view piece) { encode_piece(piece, tokens); });
    return tokens;
}

std::string BytePairs::decode(std::span<const Index> tokens) const {
    check_tokens("BytePairs", tokens, size());
    std::string text;
    for (const Index token : tokens) text += tokens_[std::size_t(token)];
    return text;
}

}  // namespace RECTO::text
