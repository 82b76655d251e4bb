#pragma once
/// @file
/// The book's colours, and how a layer of a figure may differ from what its label would give it.
#include <optional>
#include <string_view>

#include <recto/base/config.hpp>

namespace RECTO::figure {

/// The palette. The book replaces each by a variable of the page, so that it works in light, in dark
/// and on paper; a figure therefore uses no other colour.
enum class Color { blue, red, green, ochre, plum, grey, ink };
using enum Color;

/// How a line is broken.
enum class Dash { solid, dashed, dotted, dash_dot, long_dashed, sparse };
using enum Dash;

/// How a dot looks.
enum class Shape { circle, square, triangle, diamond, cross, stroke };

/// The colour's value on paper, such as `#165CC8`.
std::string_view hex(Color color);

/// What an author may fix; what is left out follows from the label, so that colour, dash and shape
/// always say the same: blue, red, green, ochre, plum, grey.
struct Style {
    std::optional<Color> color = {};     ///< The colour.
    std::optional<Dash> dash = {};       ///< How lines are broken.
    std::optional<Shape> shape = {};     ///< The shape of dots.
    std::optional<double> width = {};    ///< Line width in pixels; the area of a dot is its square times four.
    std::optional<double> opacity = {};  ///< From 0 to 1.
    std::optional<bool> points = {};     ///< Whether a line marks its points; on by default for at most 30.

    bool operator==(const Style&) const = default;  ///< Fixes the same things in the same way.
};

}  // namespace RECTO::figure
