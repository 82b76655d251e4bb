#pragma once
/// @file
/// Text as a sequence of symbols, and back.
///
/// A tokenizer knows a finite number of symbols, its *tokens*, and gives text back as it was. Any bytes survive the
/// round trip: invalid UTF-8, zero bytes and a million spaces.
#include <concepts>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <recto/base/check.hpp>

/// Text: what cuts it into symbols, what models say about it, and how they write it.
namespace RECTO::text {

/// What every tokenizer can do: `decode(encode(text)) == text`, with tokens from 0 to `size()` - 1.
template <class T>
concept Tokenizer = requires(const T& tokenizer, std::string_view text, std::span<const Index> tokens) {
    { tokenizer.encode(text) } -> std::same_as<std::vector<Index>>;
    { tokenizer.decode(tokens) } -> std::same_as<std::string>;
    { tokenizer.size() } -> std::same_as<Index>;
};

/// Refuses tokens that do not exist, naming the first and its place. @throws Error
void check_tokens(const char* who, std::span<const Index> tokens, Index size);

/// One token for each byte: 256 of them, and no text that it cannot read.
struct Bytes {
    std::vector<Index> encode(std::string_view text) const;   ///< The bytes as numbers.
    std::string decode(std::span<const Index> tokens) const;  ///< And back. @throws Error for numbers above 255
    Index size() const { return 256; }                        ///< How many tokens there are.
};

/// How many bytes the character at the beginning of `text` has: that of valid UTF-8, otherwise 1, so that a byte that
/// belongs to no character counts as one. 0 when the text is empty.
std::size_t character_length(std::string_view text);

/// One token for each character that a text has, in the order of their bytes. A character is a code point of UTF-8, or
/// a byte that belongs to none.
class Characters {
public:
    /// Its vocabulary: the characters of `text`.
    explicit Characters(std::string_view text);

    std::vector<Index> encode(std::string_view text) const;   ///< @throws Error at a character that it does not know
    std::string decode(std::span<const Index> tokens) const;  ///< @throws Error when there is no such token
    Index size() const { return Index(names_.size()); }       ///< How many tokens there are.

private:
    std::vector<std::string> names_;                   // of each token
    std::map<std::string, Index, std::less<>> known_;  // and back
};

/// Another tokenizer and some tokens that stand for no text, such as the end of a text, numbered after its own. No text
/// is encoded to them, so a text cannot contain an end mark; decode() leaves them out.
template <Tokenizer Plain>
class WithMarks {
public:
    /// @param plain  cuts the text
    /// @param marks  names of the further tokens. @throws Error when two are equal
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
    Index size() const { return plain_.size() + Index(marks_.size()); }  ///< How many tokens there are, with the marks.

private:
    Plain plain_;
    std::vector<std::string> marks_;
};

}  // namespace RECTO::text
