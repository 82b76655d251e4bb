#pragma once
/// @file
/// Regions that may hold an object: the best of many, the object that each belongs to, and the move that takes a region
/// to its object.
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <recto/data/boxes.hpp>

namespace RECTO::data {

/// The best regions of one image, no two of which overlap much: takes regions in decreasing order of score, equal scores
/// in order of index, and keeps each one that overlaps none of those kept before by more than `overlap`, until there are
/// `most`. It is suppress() that stops early.
/// @throws Error when a score is NaN
std::vector<LabelledBox> best_regions(std::vector<LabelledBox> regions, std::size_t most, double overlap);

/// The object that a region overlaps most.
struct Nearest {
    std::size_t object = 0;  ///< number of its box among the true ones; 0 if the region overlaps none
    double overlap = 0;      ///< their IoU
};

/// For each region the true box of its image that it overlaps most; the first of equal ones.
/// @throws Error when the image of a region or of a box is negative
std::vector<Nearest> nearest_objects(std::span<const LabelledBox> regions, std::span<const LabelledBox> truth);

/// The move from one box to another, as four numbers: how far the centre goes to the right and down, in widths and
/// heights of `from`, and the logarithms of the ratios of the widths and of the heights (Girshick et al., 2014).
/// @throws Error unless both boxes have a positive width and height
std::array<double, 4> move_between(const Box& from, const Box& to);

/// A box after a move, the inverse of move_between().
Box moved(const Box& from, const std::array<double, 4>& move);

}  // namespace RECTO::data
