#pragma once
/// @file
/// JSON for the files that a program writes, built piece by piece.
///
/// This file only *writes* JSON, which takes sixty lines; nlohmann-json, which reads the text back in the tests, costs
/// three seconds of compilation in every file that includes it.
#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <recto/base/config.hpp>

namespace RECTO::book {

/// A number other than bool or char.
template <class T>
concept Number = (std::integral<T> || std::floating_point<T>)&&!std::same_as<T, bool> && !std::same_as<T, char>;

/// JSON text under construction: every value is converted to text at once, so that it is written only once.
class Json {
public:
    Json(const char* text) : Json(std::string_view(text)) {}         ///< A string.
    Json(const std::string& text) : Json(std::string_view(text)) {}  ///< A string.
    Json(std::string_view text);                                     ///< A string, see io::json_string().
    Json(double number);  ///< A number that reads back as the same bits; "nan", "inf" or "-inf" as strings.

    /// An integer.
    template <Number T>
    requires std::integral<T> Json(T number) : text_(std::to_string(number)) {}

    /// true or false.
    template <std::same_as<bool> T>
    Json(T truth) : text_(truth ? "true" : "false") {}

    /// `null`.
    static Json null();
    /// `{"key": value, ...}` in the order given.
    static Json object(std::initializer_list<std::pair<std::string_view, Json>> members = {});
    /// `[value, ...]`
    static Json array(std::initializer_list<Json> elements = {});

    /// Adds a member to an object and returns the object.
    Json& add(std::string_view key, const Json& value);
    /// Adds an element to an array, on its own line if `line`, and returns the array.
    Json& append(const Json& element, bool line = false);

    /// The JSON text, without a newline at the end.
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

}  // namespace RECTO::book
