#pragma once
/// @file
/// Lines that a page prints: on the terminal, and in the book under the block that said them.
#include <type_traits>

#include <fmt/core.h>

#include <recto/base/config.hpp>
#include <recto/book/place.hpp>

namespace RECTO::book {

/// A format text, checked at compile time, that knows the line of the page it stands in.
template <class... Values>
struct Text {
    fmt::format_string<Values...> format;  ///< The text, in fmt syntax.
    Place where;                           ///< Its place in the page.

    /// Converts a string literal and notes its line.
    template <class Literal>
    consteval Text(const Literal& text, Place where = Place::here()) : format(text), where(where) {}
};

/// Prints and records formatted text; `timing` marks a line that differs from machine to machine.
void say_formatted(fmt::string_view text, fmt::format_args values, bool timing, Place where);

/// Says a line: `say("{} points", n)`. What it prints must be the same in every run, on any number of
/// threads: times belong into timing().
template <class... Values>
void say(Text<std::type_identity_t<Values>...> text, Values&&... values) {
    say_formatted(text.format, fmt::make_format_args(values...), false, text.where);
}

/// Says a line about time or another thing that differs from run to run.
template <class... Values>
void timing(Text<std::type_identity_t<Values>...> text, Values&&... values) {
    say_formatted(text.format, fmt::make_format_args(values...), true, text.where);
}

}  // namespace RECTO::book
