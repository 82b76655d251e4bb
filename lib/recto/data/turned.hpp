#pragma once
/// @file
/// New tasks made of a known one: the same images, turned or shifted, with the same classes. A network that was trained
/// on upright images can be adapted to them.
#include <span>

#include <recto/core/random.hpp>
#include <recto/data/examples.hpp>

namespace RECTO::data {

/// A change of images: (n, channels, height, width) to (n, channels, height, width), for quarter turns with height and
/// width exchanged.
using ImageTask = Tensor (*)(const Tensor& images);

Tensor upright(const Tensor& images);      ///< The images as they are.
Tensor turned(const Tensor& images);       ///< A quarter turn: the first column, read upwards, becomes the lowest row.
Tensor turned_back(const Tensor& images);  ///< The quarter turn in the other direction, which undoes turned().
Tensor rolled_down(const Tensor& images);  ///< Shifted down by six pixels; the rows that leave enter above.

/// All examples as they are, then, for each task, this many in a hundred more with that change, drawn without
/// replacement. @throws Error when `per_cent` is not from 0 to 100
Examples mostly_upright(const Examples& all, std::span<const ImageTask> tasks, Index per_cent, Generator& random);

}  // namespace RECTO::data
