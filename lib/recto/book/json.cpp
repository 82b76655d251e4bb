#include <recto/book/json.hpp>

#include <fmt/core.h>

#include <cmath>

namespace RECTO::book {
namespace {

/// Bytes of the UTF-8 sequence at the start of `text`, or 0 where there is no valid one.
std::size_t sequence(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(0);
    const std::size_t n = first < 0x80   ? 1
                          : first < 0xC2 ? 0
                          : first < 0xE0 ? 2
                          : first < 0xF0 ? 3
                          : first < 0xF5 ? 4
                                         : 0;
    for (std::size_t i = 1; i < n; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    // Overlong forms, surrogates and what lies beyond Unicode.
    if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F)) return 0;
    if ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F)) return 0;
    return n;
}

}  // namespace

Json::Json(std::string_view text) {
    text_ = '"';
    while (!text.empty()) {
        const std::size_t n = sequence(text);
        const char c = text.front();
        if (n == 0)
            text_ += "\xEF\xBF\xBD";
        else if (n > 1)
            text_ += text.substr(0, n);
        else if (c == '"' || c == '\\')
            (text_ += '\\') += c;
        else if (c == '\n')
            text_ += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20)
            text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            text_ += c;
        text.remove_prefix(n == 0 ? 1 : n);
    }
    text_ += '"';
}

Json::Json(double number)
    : text_(number == 0             ? (std::signbit(number) ? "-0.0" : "0")  // a reader takes -0 for a whole number
            : std::isfinite(number) ? fmt::format("{}", number)
            : std::isnan(number)    ? "\"nan\""
            : number > 0            ? "\"inf\""
                                    : "\"-inf\"") {}

Json Json::null() {
    Json made(0);
    made.text_ = "null";
    return made;
}

Json Json::object(std::initializer_list<std::pair<std::string_view, Json>> members) {
    Json made(0);
    made.text_ = "{}";
    for (const auto& [key, value] : members) made.add(key, value);
    return made;
}

Json Json::array(std::initializer_list<Json> elements) {
    Json made(0);
    made.text_ = "[]";
    for (const Json& element : elements) made.append(element);
    return made;
}

Json& Json::add(std::string_view key, const Json& value) {
    text_.pop_back();
    if (text_.size() > 1) text_ += ',';
    ((text_ += Json(key).text_) += ':') += value.text_;
    text_ += '}';
    return *this;
}

Json& Json::append(const Json& element, bool line) {
    text_.pop_back();
    if (text_.size() > 1) text_ += ',';
    if (line) text_ += "\n ";
    text_ += element.text_;
    text_ += ']';
    return *this;
}

}  // namespace RECTO::book
