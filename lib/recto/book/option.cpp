#include <algorithm>
#include <charconv>
#include <cmath>

#include <recto/base/check.hpp>
#include <recto/book/option.hpp>

namespace RECTO::book {
namespace {

/// A function, so that options of other files may be created before the variables of this file.
std::vector<const AnyOption*>& list() {
    static std::vector<const AnyOption*> options;
    return options;
}

template <class T>
bool parse(const std::string& text, T& value) {
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stopped == end;
}

bool parse(const std::string& text, bool& value) {
    value = text == "true";
    return value || text == "false";
}

bool parse(const std::string& text, std::string& value) {
    value = text;
    return true;
}

template <class T>
std::string typed(const T& value) {
    return fmt::format("{}", value);
}

}  // namespace

const std::vector<const AnyOption*>& all_options() { return list(); }

AnyOption::AnyOption(std::string name, std::string help) : name_(std::move(name)), help_(std::move(help)) {
    list().push_back(this);
}

AnyOption::~AnyOption() { std::erase(list(), this); }

template <OptionValue T>
Option<T>::Option(std::string name, T standard, std::string help, Limits<T> limits)
    : AnyOption(std::move(name), std::move(help)),
      standard_(std::move(standard)),
      limits_(std::move(limits)),
      value_(standard_) {}

template <OptionValue T>
std::string Option<T>::standard_text() const {
    return typed(standard_);
}

template <OptionValue T>
std::string Option<T>::text() const {
    return typed(value_);
}

template <OptionValue T>
std::string Option<T>::wanted() const {
    if (!limits_.among.empty()) {
        std::string words = "one of";
        for (const T& value : limits_.among) words += fmt::format(" {}", typed(value));
        return words;
    }
    std::string words = std::same_as<T, double>        ? "a number"
                        : std::same_as<T, bool>        ? "true or false"
                        : std::same_as<T, std::string> ? "a word"
                                                       : "a whole number";
    if (limits_.least && limits_.most)
        words += fmt::format(" from {} to {}", *limits_.least, *limits_.most);
    else if (limits_.least)
        words += fmt::format(" of at least {}", *limits_.least);
    else if (limits_.most)
        words += fmt::format(" of at most {}", *limits_.most);
    return words;
}

template <OptionValue T>
bool Option<T>::take(const std::string& text) const {
    T value{};
    if (!parse(text, value)) return false;
    if constexpr (std::same_as<T, double>)
        if (!std::isfinite(value)) return false;
    if (limits_.least && value < *limits_.least) return false;
    if (limits_.most && *limits_.most < value) return false;
    const auto& among = limits_.among;
    if (!among.empty() && std::find(among.begin(), among.end(), value) == among.end()) return false;
    value_ = std::move(value);
    return true;
}

template <OptionValue T>
void Option<T>::reset(bool quick) const {
    value_ = quick && limits_.quick ? *limits_.quick : standard_;
}

template class Option<int>;
template class Option<Index>;
template class Option<double>;
template class Option<bool>;
template class Option<std::string>;

}  // namespace RECTO::book
