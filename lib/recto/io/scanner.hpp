#pragma once
/// @file
/// Reads the subset of JSON that headers of safetensors files use, from untrusted text.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include <recto/io/plain_text.hpp>
#include <recto/io/utf8.hpp>

namespace RECTO::io {

/// An error in a file, and its position.
struct BadFile {
    Index place;         ///< byte in the header text
    std::string reason;  ///< the message
};

/// Reads JSON text. The grammar that it accepts bounds the depth: no function recurses on input.
class Scanner {
public:
    /// Reads this text, which must exist as long as the Scanner.
    explicit Scanner(std::string_view text) : text_(text) {}

    Index place() const { return Index(at_); }  ///< The present position.
    /// Throws BadFile with the present position.
    [[noreturn]] void fail(std::string reason) const { throw BadFile{place(), std::move(reason)}; }

    /// Skips spaces, then takes `c` if it is next.
    bool take(char c) {
        skip_spaces();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    /// Skips spaces, then takes `c`, which must be next.
    void want(char c) {
        if (!take(c)) fail(fmt::format("wanted '{}'", c));
    }
    /// Rejects anything but spaces after this position.
    void want_end() {
        skip_spaces();
        if (at_ < text_.size()) fail("wanted the end of the header");
    }

    /// Calls `element()` for each element between two brackets.
    template <class Element>
    void list(char open, char close, const Element& element) {
        want(open);
        if (take(close)) return;
        do element();
        while (take(','));
        want(close);
    }
    /// Calls `member(key)` for each member of an object; keys must be unique and have a maximal length.
    template <class Member>
    void object(const Member& member) {
        std::set<std::string> keys;
        list('{', '}', [&] {
            const std::string key = string();
            if (key.size() > longest_key) fail(fmt::format("a name has more than {} bytes", longest_key));
            if (keys.size() == most_members) fail(fmt::format("more than {} names in one object", most_members));
            if (!keys.insert(key).second) fail(fmt::format("'{}' is declared twice", escaped(key)));
            want(':');
            member(key);
        });
    }

    /// An integer of at least 0, without sign, fraction or exponent.
    Index number() {
        skip_spaces();
        const std::size_t start = at_;
        Index value = 0;
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
            if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text_[at_] - '0', &value))
                fail("this number is too large");
        const bool fraction = at_ < text_.size() && (text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E');
        if (at_ == start || fraction || (text_[start] == '0' && at_ > start + 1))
            fail("wanted a whole number from 0 on");
        return value;
    }

    /// A string; control characters in it must be written as escapes.
    std::string string() {
        want('"');
        std::string value;
        for (;;) {
            if (at_ >= text_.size()) fail("a string does not end");
            const char c = text_[at_++];
            if (c == '"') break;
            if (static_cast<unsigned char>(c) < 0x20) fail("a string holds control characters");
            if (c == '\\')
                escape(value);
            else
                value += c;
        }
        if (!is_utf8(value)) fail("a string is not UTF-8");
        return value;
    }

    static constexpr std::size_t longest_key = 1024;      ///< Maximum number of bytes of a name.
    static constexpr std::size_t most_members = 100'000;  ///< Maximum number of members of an object.

private:
    void skip_spaces() { at_ = std::min(text_.find_first_not_of(" \n\r\t", at_), text_.size()); }
    void escape(std::string& value) {
        const char c = at_ < text_.size() ? text_[at_++] : '\0';
        if (c == '"' || c == '\\' || c == '/')
            value += c;
        else if (c == 'u')
            append_utf8(value, code_point());
        else if (const auto control = std::string_view("btnfr").find(c); control != std::string_view::npos)
            value += "\b\t\n\f\r"[control];
        else
            fail("unknown escape in a string");
    }
    std::uint32_t hex4() {
        std::uint32_t value = 0;
        for (int i = 0; i < 4; ++i) {
            const char c = at_ < text_.size() ? text_[at_++] : '\0';
            const int digit = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
            if (digit < 0) fail("wanted four hexadecimal digits");
            value = value * 16 + std::uint32_t(digit);
        }
        return value;
    }
    std::uint32_t code_point() {
        const std::uint32_t high = hex4();
        if (high < 0xD800 || high > 0xDFFF) return high;
        if (high > 0xDBFF || text_.substr(std::min(at_, text_.size()), 2) != "\\u") fail("half of a surrogate pair");
        at_ += 2;
        const std::uint32_t low = hex4();
        if (low < 0xDC00 || low > 0xDFFF) fail("half of a surrogate pair");
        return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace RECTO::io
