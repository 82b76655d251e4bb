#pragma once
/// @file
/// The book's colours, and the style of a figure's layer where it differs from its label's.
#include <optional>
#include <string_view>

#include <recto/base/config.hpp>

namespace RECTO::figure {

/// The palette. The book replaces each colour by a variable of the page, so that it works in light mode, in dark mode
/// and on paper; figures therefore use no other colour.
enum class Color { blue, red, green, ochre, plum, grey, ink };
using enum Color;

/// The dash pattern of a line.
enum class Dash { solid, dashed, dotted, dash_dot, long_dashed, sparse };
using enum Dash;

/// The shape of a dot.
enum class Shape { circle, square, triangle, diamond, cross, stroke };

/// The colour's value on paper, such as `#165CC8`.
std::string_view hex(Color color);

/// An author's choices; all others follow from the label, so that colour, dash and shape always mean the same: blue,
/// red, green, ochre, plum, grey.
struct Style {
    std::optional<Color> color = {};     ///< The colour.
    std::optional<Dash> dash = {};       ///< The dash pattern of lines.
    std::optional<Shape> shape = {};     ///< The shape of dots.
    std::optional<double> width = {};    ///< Line width in pixels; the area of a dot is its square times four.
    std::optional<double> opacity = {};  ///< From 0 to 1.
    std::optional<bool> points = {};     ///< Whether a line marks its points; on by default for at most 30.
    std::optional<bool> bold = {};       ///< Whether words are bold.

    bool operator==(const Style&) const = default;  ///< Whether all choices are equal.
};

}  // namespace RECTO::figure
