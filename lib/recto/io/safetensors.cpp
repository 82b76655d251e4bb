#include <recto/io/safetensors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace RECTO::io {
namespace {

/// Walks over JSON text. Depth is bounded by the grammar it accepts: nothing here recurses on input.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    Index place() const { return Index(at_); }
    [[noreturn]] void fail(std::string reason) const { throw BadFile{place(), std::move(reason)}; }

    /// Skips spaces and takes `c` if it is next.
    bool take(char c) {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
            ++at_;
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void want(char c) {
        if (!take(c)) fail(fmt::format("wanted '{}'", c));
    }
    void want_end() {
        take('\0');
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
    /// Calls `member(key)` for each member of an object; a key may come only once.
    template <class Member>
    void object(const Member& member) {
        std::set<std::string> keys;
        list('{', '}', [&] {
            const std::string key = string();
            if (!keys.insert(key).second) fail(fmt::format("'{}' is declared twice", key));
            want(':');
            member(key);
        });
    }

    /// A whole number from 0 on, without sign, fraction or exponent.
    Index number() {
        take('\0');
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

    /// A string of plain text.
    std::string string() {
        want('"');
        std::string value;
        for (;;) {
            if (at_ >= text_.size()) fail("a string does not end");
            const char c = text_[at_++];
            if (c == '"') break;
            if (c == '\\')
                escape(value);
            else
                value += c;
        }
        if (!is_plain_text(value)) fail("a string holds control characters or is not UTF-8");
        return value;
    }

private:
    void escape(std::string& value) {
        const char c = at_ < text_.size() ? text_[at_++] : '\0';
        if (c == '"' || c == '\\' || c == '/')
            value += c;
        else if (c == 'u')
            append_utf8(value, code_point());
        else if (c == 'n' || c == 't' || c == 'r' || c == 'b' || c == 'f')
            fail("a string holds control characters");
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
    static void append_utf8(std::string& to, std::uint32_t c) {
        const auto tail = [&](int shift) { to += char(0x80 | (c >> shift & 0x3F)); };
        if (c < 0x80) return void(to += char(c));
        if (c < 0x800) return to += char(0xC0 | c >> 6), tail(0);
        if (c < 0x10000) return to += char(0xE0 | c >> 12), tail(6), tail(0);
        to += char(0xF0 | c >> 18), tail(12), tail(6), tail(0);
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// One tensor: `{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}`, members in any order.
Declared declaration(Scanner& scan, const std::string& name) {
    Declared tensor{name, {}, {}, 0, 0, scan.place()};
    std::vector<Index> extents, offsets;
    int members = 0;
    scan.object([&](const std::string& key) {
        ++members;
        if (key == "dtype")
            tensor.type = scan.string();
        else if (key == "shape" || key == "data_offsets")
            scan.list('[', ']', [&] {
                std::vector<Index>& into = key == "shape" ? extents : offsets;
                if (into.size() == 64) scan.fail(fmt::format("'{}' has too many axes", name));
                into.push_back(scan.number());
            });
        else
            scan.fail(fmt::format("'{}' has an unknown member '{}'", name, key));
    });
    if (members != 3) scan.fail(fmt::format("'{}' wants dtype, shape and data_offsets", name));
    const auto fail = [&](std::string reason) { throw BadFile{tensor.place, fmt::format("'{}' {}", name, reason)}; };
    const Index size = bytes_of_type(tensor.type);
    if (size == 0) fail(fmt::format("has type {}, which cannot be read here", tensor.type));
    if (offsets.size() != 2) fail("wants two data_offsets");
    tensor.begin = offsets[0], tensor.end = offsets[1];
    if (tensor.begin > tensor.end) fail("ends before it begins");
    try {
        tensor.shape = Shape(extents);
    } catch (const Error& error) {
        fail(fmt::format("has an impossible shape: {}", error.what()));
    }
    Index bytes = 0;
    if (__builtin_mul_overflow(tensor.shape.count(), size, &bytes) || bytes != tensor.end - tensor.begin)
        fail(fmt::format("has shape {} of {}, which does not take {} bytes", tensor.shape, tensor.type,
                         tensor.end - tensor.begin));
    return tensor;
}

}  // namespace

Index bytes_of_type(std::string_view type) {
    return type == "F64" ? 8 : type == "F32" ? 4 : type == "F16" || type == "BF16" ? 2 : 0;
}

SafetensorsHeader parse_safetensors(std::string_view text, Index data_bytes) {
    Scanner scan(text);
    SafetensorsHeader header;
    scan.object([&](const std::string& name) {
        if (name == "__metadata__")
            scan.object([&](const std::string& key) { header.notes[key] = scan.string(); });
        else
            header.tensors.push_back(declaration(scan, name));
    });
    scan.want_end();
    std::ranges::stable_sort(header.tensors, {}, [](const Declared& t) { return std::pair(t.begin, t.end); });
    Index reached = 0;
    for (const Declared& t : header.tensors) {
        if (t.begin != reached || t.end > data_bytes)
            throw BadFile{t.place, fmt::format("'{}' has bytes {} to {}, {}", t.name, t.begin, t.end,
                                               t.begin < reached   ? "which overlap those of another tensor"
                                               : t.begin > reached ? "which leave a gap"
                                                                   : fmt::format("the file has {}", data_bytes))};
        reached = t.end;
    }
    if (reached != data_bytes)
        throw BadFile{scan.place() + reached, fmt::format("{} bytes follow the last tensor", data_bytes - reached)};
    return header;
}

std::string write_safetensors(const SafetensorsHeader& header) {
    const auto quoted = [](const std::string& text) {
        std::string out(1, '"');
        for (const char c : text) {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
        out += '"';
        return out;
    };
    std::vector<std::string> members, notes;
    for (const auto& [key, value] : header.notes) notes.push_back(fmt::format("{}:{}", quoted(key), quoted(value)));
    if (!notes.empty()) members.push_back(fmt::format("\"__metadata__\":{{{}}}", fmt::join(notes, ",")));
    for (const Declared& t : header.tensors)
        members.push_back(fmt::format("{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", quoted(t.name),
                                      t.type, fmt::join(t.shape, ","), t.begin, t.end));
    std::string text = fmt::format("{{{}}}", fmt::join(members, ","));
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return text;
}

bool is_plain_text(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        if (lead < 0x20 || lead == 0x7F) return false;
        const std::size_t more = lead < 0x80 ? 0 : lead >> 5 == 6 ? 1 : lead >> 4 == 14 ? 2 : lead >> 3 == 30 ? 3 : 9;
        if (more == 9 || i + more >= text.size()) return false;
        std::uint32_t c = more == 0 ? lead : lead & (0x3Fu >> more);
        for (std::size_t k = 1; k <= more; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            if (next >> 6 != 2) return false;
            c = c << 6 | (next & 0x3F);
        }
        constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};  // shorter would have done: not allowed
        if (c < least[more] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return false;
        i += more + 1;
    }
    return true;
}

}  // namespace RECTO::io
