#include <recto/text/gpt2_tokenizer.hpp>

#include <array>
#include <optional>
#include <unordered_map>

#include <recto/io/plain_text.hpp>
#include <recto/io/utf8.hpp>
#include <recto/text/letters.hpp>
#include <recto/text/unite.hpp>

namespace RECTO::text {
namespace {

/// The character that stands for each byte in a file.
std::array<std::uint32_t, 256> characters() {
    std::array<std::uint32_t, 256> made{};
    std::uint32_t next = 256;
    for (std::uint32_t byte = 0; byte < 256; ++byte)
        made[byte] = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174 ? byte : next++;
    return made;
}

/// The bytes that a token of a file stands for; a token with other characters stands for itself.
std::string bytes_of(const std::string& token) {
    static const std::unordered_map<std::uint32_t, char> known = [] {
        std::unordered_map<std::uint32_t, char> made;
        const auto all = characters();
        for (std::size_t byte = 0; byte < all.size(); ++byte) made[all[byte]] = char(byte);
        return made;
    }();
    std::string bytes;
    for (std::string_view rest = token; !rest.empty();) {
        const io::Character c = io::first_character(rest);
        const auto found = known.find(c.code_point);
        if (c.bytes == 0 || found == known.end()) return token;
        bytes += found->second;
        rest.remove_prefix(c.bytes);
    }
    return bytes;
}

/// The kind of the character at the beginning of a text; bytes that are not UTF-8 are signs.
enum class Kind { letter, number, space, sign };
struct Next {
    Kind kind;
    std::size_t bytes;  // 0 at the end
};
Next next_of(std::string_view text) {
    if (text.empty()) return {Kind::sign, 0};
    const io::Character c = io::first_character(text);
    if (c.bytes == 0) return {Kind::sign, 1};
    return {is_letter(c.code_point)   ? Kind::letter
            : is_number(c.code_point) ? Kind::number
            : is_space(c.code_point)  ? Kind::space
                                      : Kind::sign,
            c.bytes};
}

}  // namespace

static_assert(Tokenizer<Gpt2Tokenizer>);

std::size_t gpt2_piece_length(std::string_view text) {
    for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
        if (text.starts_with(ending)) return ending.size();
    const std::size_t space = text.starts_with(' ') ? 1 : 0;
    const Next first = next_of(text.substr(space));
    if (first.bytes > 0 && first.kind != Kind::space) {
        std::size_t length = space;
        for (Next next = first; next.bytes > 0 && next.kind == first.kind; next = next_of(text.substr(length)))
            length += next.bytes;
        return length;
    }
    std::size_t length = 0, before = 0;  // of the white space, and without its last character
    for (Next next = next_of(text); next.bytes > 0 && next.kind == Kind::space; next = next_of(text.substr(length)))
        before = length, length += next.bytes;
    return length < text.size() && before > 0 ? before : length;
}

Gpt2Tokenizer::Gpt2Tokenizer(std::vector<std::string> tokens, const std::vector<std::string>& merges,
                             const std::vector<Index>& control) {
    std::unordered_map<std::string, Index> known;  // numbers in the vocabulary, by bytes
    for (const std::string& token : tokens) {
        bytes_.push_back(bytes_of(token));
        known.emplace(bytes_.back(), Index(bytes_.size()) - 1);  // of equal tokens the first
    }
    for (int byte = 0; byte < 256; ++byte) {
        const auto found = known.find(std::string(1, char(byte)));
        byte_.push_back(found == known.end() ? -1 : found->second);
    }
    for (std::size_t i = 0; i < merges.size(); ++i) {
        const std::size_t gap = merges[i].find(' ', 1);
        check(gap != std::string::npos, "Gpt2Tokenizer: merge {}: wanted two tokens and a space, got '{}'", i,
              io::escaped(merges[i]));
        const std::string left = bytes_of(merges[i].substr(0, gap)), right = bytes_of(merges[i].substr(gap + 1));
        const auto a = known.find(left), b = known.find(right), whole = known.find(left + right);
        check(a != known.end() && b != known.end(),
              "Gpt2Tokenizer: merge {}: wanted tokens of the vocabulary, got '{}'", i, io::escaped(merges[i]));
        check(whole != known.end(), "Gpt2Tokenizer: merge {}: the vocabulary has no '{}'", i,
              io::escaped(left + right));
        const bool fresh = merges_.try_emplace({a->second, b->second}, Index(i), whole->second).second;
        check(fresh, "Gpt2Tokenizer: merge {}: wanted every merge once, got '{}' again", i, io::escaped(merges[i]));
    }
    for (const Index token : control) {
        check_tokens("Gpt2Tokenizer", {&token, 1}, size());
        bytes_[std::size_t(token)].clear();
    }
}

std::vector<Index> Gpt2Tokenizer::encode(std::string_view text) const {
    std::vector<Index> tokens;
    while (!text.empty()) {
        const std::size_t length = gpt2_piece_length(text);
        std::vector<Index> piece = Bytes().encode(text.substr(0, length));
        for (Index& token : piece) {
            check(byte_[std::size_t(token)] >= 0, "Gpt2Tokenizer: the vocabulary has no token for byte {}", token);
            token = byte_[std::size_t(token)];
        }
        unite(piece, [&](Index left, Index right) {
            const auto found = merges_.find({left, right});
            return found == merges_.end() ? std::nullopt : std::optional(found->second);
        });
        tokens.insert(tokens.end(), piece.begin(), piece.end());
        text.remove_prefix(length);
    }
    return tokens;
}

std::string Gpt2Tokenizer::decode(std::span<const Index> tokens) const {
    check_tokens("Gpt2Tokenizer", tokens, size());
    std::string text;
    for (const Index token : tokens) text += bytes_[std::size_t(token)];
    return text;
}

}  // namespace RECTO::text
