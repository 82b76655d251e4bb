#pragma once
/// @file
/// Small drawn images whose truth is known exactly: bars to be located, and figures to be named as well.
#include <array>
#include <string_view>

#include <recto/core/random.hpp>
#include <recto/data/examples.hpp>

namespace RECTO::data {

inline constexpr Index drawing_size = 16;  ///< Pixels along each side.

/// Images of a bar 8 pixels long and 2 wide, at a random place and angle, with soft edges.
///
/// x is (n, 1, 16, 16), from 0 (background) to 1; targets are (n, 3): the centre's column and row in pixels,
/// where a pixel's own centre has whole numbers, and the angle in radians, in [0, pi), from the x axis towards
/// larger rows. Centres lie in [4, 11].
Examples bars(Index count, Generator& random);

/// What figures() draws, by label.
inline constexpr std::array<std::string_view, 3> figure_names = {"disc", "ring", "cross"};

/// Images of a disc, a ring or a cross at a random place: x (n, 1, 16, 16), labels (n) index figure_names,
/// targets (n, 2) are the centre's column and row in pixels, in [4, 11].
Examples figures(Index count, Generator& random);

}  // namespace RECTO::data
