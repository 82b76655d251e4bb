#pragma once
/// @file
/// Text as a sequence of symbols, and back.
///
/// A tokenizer has a finite number of symbols, its *tokens*, and restores text exactly. Any bytes survive the round
/// trip: invalid UTF-8, zero bytes and a million spaces.
#include <concepts>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <recto/base/check.hpp>

/// Text: splitting it into tokens, evaluating models of it, and generating it.
namespace RECTO::text {

/// The interface of every tokenizer: `decode(encode(text)) == text`, with tokens from 0 to `size()` - 1.
template <class T>
concept Tokenizer = requires(const T& tokenizer, std::string_view text, std::span<const Index> tokens) {
    { tokenizer.encode(text) } -> std::same_as<std::vector<Index>>;
    { tokenizer.decode(tokens) } -> std::same_as<std::string>;
    { tokenizer.size() } -> std::same_as<Index>;
};

/// Rejects tokens that do not exist. @throws Error with the first such token and its position
void check_tokens(const char* who, std::span<const Index> tokens, Index size);

/// One token for each byte, 256 in total, so that every text can be encoded.
struct Bytes {
    std::vector<Index> encode(std::string_view text) const;   ///< The bytes as numbers.
    std::string decode(std::span<const Index> tokens) const;  ///< The text. @throws Error for numbers above 255
    Index size() const { return 256; }                        ///< Number of tokens.
};

/// The number of bytes of the character at the beginning of `text`: a valid UTF-8 character, otherwise a single byte
/// that belongs to no character. 0 if the text is empty.
std::size_t character_length(std::string_view text);

/// One token for each character of a text, in the order of their bytes. A character is a code point of UTF-8, or a byte
/// that belongs to none.
class Characters {
public:
    /// Its vocabulary is the set of characters of `text`.
    explicit Characters(std::string_view text);

    std::vector<Index> encode(std::string_view text) const;   ///< @throws Error at an unknown character
    std::string decode(std::span<const Index> tokens) const;  ///< @throws Error when there is no such token
    Index size() const { return Index(names_.size()); }       ///< Number of tokens.

private:
    std::vector<std::string> names_;                   // of each token
    std::map<std::string, Index, std::less<>> known_;  // the token of each name
};

/// Another tokenizer plus some tokens without text, such as an end mark, numbered after its own. No text is encoded to
/// them, so a text cannot contain an end mark; decode() leaves them out.
template <Tokenizer Plain>
class WithMarks {
public:
    /// @param plain  encodes the text
    /// @param marks  names of the additional tokens. @throws Error when two are equal
    WithMarks(Plain plain, std::vector<std::string> marks) : plain_(std::move(plain)), marks_(std::move(marks)) {
        for (std::size_t i = 0; i < marks_.size(); ++i)
            check(mark(marks_[i]) == plain_.size() + Index(i), "WithMarks: wanted each name once, got '{}' twice",
                  marks_[i]);
    }

    /// The token of a mark. @throws Error for an unknown name
    Index mark(std::string_view name) const {
        for (std::size_t i = 0; i < marks_.size(); ++i)
            if (marks_[i] == name) return plain_.size() + Index(i);
        refuse("WithMarks: there is no mark '{}'", fmt::make_format_args(name));
    }
    std::vector<Index> encode(std::string_view text) const { return plain_.encode(text); }  ///< Without any mark.
    /// Leaves out the marks. @throws Error when there is no such token
    std::string decode(std::span<const Index> tokens) const {
        check_tokens("WithMarks", tokens, size());
        std::vector<Index> text;
        for (const Index token : tokens)
            if (token < plain_.size()) text.push_back(token);
        return plain_.decode(text);
    }
    Index size() const { return plain_.size() + Index(marks_.size()); }  ///< Number of tokens, with the marks.

private:
    Plain plain_;
    std::vector<std::string> marks_;
};

}  // namespace RECTO::text
