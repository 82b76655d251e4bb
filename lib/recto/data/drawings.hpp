#pragma once
/// @file
/// Small drawn images with exactly known contents: bars to be located, and figures to be located and classified.
#include <array>
#include <string_view>

#include <recto/core/random.hpp>
#include <recto/data/examples.hpp>

namespace RECTO::data {

inline constexpr Index drawing_size = 16;  ///< Pixels along each side.

/// Images of a bar 8 pixels long and 2 wide, at a random position and angle, with soft edges.
///
/// x is (n, 1, 16, 16), from 0 (background) to 1; targets are (n, 3): the centre's column and row in pixels, where the
/// centres of pixels have integer coordinates, and the angle in radians, in [0, pi), from the x axis towards larger
/// rows. Centres are in [4, 11].
Examples bars(Index count, Generator& random);

/// The names of the shapes of figures(), by label.
inline constexpr std::array<std::string_view, 3> figure_names = {"disc", "ring", "cross"};

/// Images of a disc, a ring or a cross at a random position: x (n, 1, 16, 16), labels (n) index figure_names, targets
/// (n, 2) are the centre's column and row in pixels, in [4, 11].
Examples figures(Index count, Generator& random);

}  // namespace RECTO::data
