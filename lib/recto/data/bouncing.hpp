#pragma once
/// @file
/// Small videos of shapes that move and bounce off the walls.
#include <recto/core/random.hpp>

namespace RECTO::data {

inline constexpr Index bouncing_size = 16;  ///< Pixels along each side of a frame.

/// Videos of a disc and a square that move in straight lines at constant speed and are reflected by the walls.
///
/// The disc has a radius of 2 pixels, the square a side of 4; both start at random places in random directions, with a
/// speed of 0.8 to 1.6 pixels per frame. Edges are soft over one pixel, and the shapes pass in front of one another.
/// @return  (count, frames, 1, 16, 16), from 0 (background) to 1
/// @throws Error unless there is at least one frame and count is at least 0
Tensor bouncing(Index count, Index frames, Generator& random);

}  // namespace RECTO::data
