#include <recto/text/tokenizer.hpp>

#include <algorithm>
#include <set>

#include <recto/io/plain_text.hpp>
#include <recto/io/utf8.hpp>

namespace RECTO::text {

static_assert(Tokenizer<Bytes> && Tokenizer<Characters> && Tokenizer<WithMarks<Bytes>>);

void check_tokens(const char* who, std::span<const Index> tokens, Index size) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
        check(tokens[i] >= 0 && tokens[i] < size, "{}: wanted tokens from 0 to {}, got {} at place {}", who, size - 1,
              tokens[i], i);
}

std::vector<Index> Bytes::encode(std::string_view text) const {
    std::vector<Index> tokens;
    tokens.reserve(text.size());
    for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
    return tokens;
}

std::string Bytes::decode(std::span<const Index> tokens) const {
    check_tokens("Bytes", tokens, 256);
    std::string text;
    text.reserve(tokens.size());
    for (const Index token : tokens) text += char(token);
    return text;
}

std::size_t character_length(std::string_view text) {
    return text.empty() ? 0 : std::max<std::size_t>(io::first_character(text).bytes, 1);
}

Characters::Characters(std::string_view text) {
    std::set<std::string, std::less<>> found;
    while (!text.empty()) {
        const std::string_view character = text.substr(0, character_length(text));
        if (!found.contains(character)) found.emplace(character);
        text.remove_prefix(character.size());
    }
    names_.assign(found.begin(), found.end());
    for (std::size_t i = 0; i < names_.size(); ++i) known_.emplace(names_[i], Index(i));
}

std::vector<Index> Characters::encode(std::string_view text) const {
    std::vector<Index> tokens;
    for (std::size_t place = 0; place < text.size();) {
        const std::string_view character = text.substr(place, character_length(text.substr(place)));
        const auto at = known_.find(character);
        check(at != known_.end(), "Characters: byte {}: wanted one of the {} characters, got '{}'", place,
              names_.size(), io::escaped(character));
        tokens.push_back(at->second);
        place += character.size();
    }
    return tokens;
}

std::string Characters::decode(std::span<const Index> tokens) const {
    check_tokens("Characters", tokens, size());
    std::string text;
    for (const Index token : tokens) text += names_[std::size_t(token)];
    return text;
}

}  // namespace RECTO::text
