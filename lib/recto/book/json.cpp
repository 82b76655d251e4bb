#include <recto/book/json.hpp>

#include <fmt/core.h>

#include <cmath>

#include <recto/io/json_string.hpp>

namespace RECTO::book {
Json::Json(std::string_view text) : text_(io::json_string(text)) {}

Json::Json(double number)
    : text_(number == 0             ? (std::signbit(number) ? "-0.0" : "0")  // a reader takes -0 for an integer
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
