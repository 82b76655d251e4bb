#pragma once
/// @file
/// Small aerial images of buildings, and a map of the buildings that a smooth deformation has moved.
#include <recto/core/random.hpp>

namespace RECTO::data {

/// The law that aerial images are drawn from.
///
/// The number of buildings is uniform on `least` to `most`. Each is a rectangle with half sides of 2.5 to 6 pixels, and
/// with a chance of 0.4 an L: the union of two rectangles. Centres are uniform over the image and two pixels around it;
/// all buildings of an image share a direction, within 0.1 radians. The roof is red, brown or grey, and lighter on one
/// side of its ridge. The ground is green or brown with a wave of 6 to 14 pixels; a road of 2.5 pixels crosses it, and
/// three dark green discs are trees, above all else. Uniform noise on [-`noise`, `noise`] is added, and the result clipped
/// to [0, 1].
///
/// The deformation is a translation plus three plane waves, with lengths of 1.25 to 3 sides of the image, and scaled so
/// that its longest arrow has `reach` pixels. It is drawn again while it might fold: while the sum over the waves of
/// amplitude times wave number is 0.9 or more.
struct BuildingLaw {
    Index size = 32;      ///< pixels along each side
    Index least = 4;      ///< fewest buildings
    Index most = 7;       ///< most buildings
    double reach = 4;     ///< length of the longest arrow of a deformation, in pixels
    double noise = 0.05;  ///< largest noise of the image
};

/// Aerial images, and the maps that belong to them.
struct Buildings {
    Tensor images;   ///< (n, 3, size, size), from 0 to 1
    Tensor aligned;  ///< (n, 1, size, size): the part of each pixel that is a building, 0 to 1
    Tensor masks;    ///< (n, 1, size, size): the same map, deformed
    Tensor flows;    ///< (n, 2, size, size): where each pixel of the image is in the deformed map, as in nn/warp.hpp
};

/// Draws images, maps and deformations. The point p of an image is at p + flow(p) in the deformed map, which is drawn
/// from the outlines of the buildings, without interpolation. The first images do not depend on `count`.
/// @throws Error when a number is out of range, or no deformation of this reach is found in a thousand draws
Buildings buildings(Index count, Generator& random, const BuildingLaw& law = {});

}  // namespace RECTO::data
