#pragma once
/// @file
/// Lines that a page prints: on the terminal, and in the book below the block that printed them.
#include <type_traits>

#include <fmt/core.h>

#include <recto/base/config.hpp>
#include <recto/book/place.hpp>

namespace RECTO::book {

/// A format text, checked at compile time, with its line in the page.
template <class... Values>
struct Text {
    fmt::format_string<Values...> format;  ///< The text, in fmt syntax.
    Place where;                           ///< Its position in the page.

    /// Converts a string literal and records its line.
    template <class Literal>
    consteval Text(const Literal& text, Place where = Place::here()) : format(text), where(where) {}
};

/// Prints and records formatted text; `timing` marks a line that differs from machine to machine.
void say_formatted(fmt::string_view text, fmt::format_args values, bool timing, Place where);

/// Prints a line: `say("{} points", n)`. The text must be the same in every run, with any number of threads; use
/// timing() for times.
template <class... Values>
void say(Text<std::type_identity_t<Values>...> text, Values&&... values) {
    say_formatted(text.format, fmt::make_format_args(values...), false, text.where);
}

/// Prints a line about time or another value that differs from run to run.
template <class... Values>
void timing(Text<std::type_identity_t<Values>...> text, Values&&... values) {
    say_formatted(text.format, fmt::make_format_args(values...), true, text.where);
}

}  // namespace RECTO::book
