#pragma once
/// @file
/// Enlarges small images without blur.
#include <vector>

#include <recto/figure/values.hpp>

namespace RECTO::figure {

/// Repeats every pixel as a square of `times` x `times` equal pixels, for Figure::field(), which interpolates.
///
/// @param pixels   row by row, `columns` in each row
/// @return         rows of columns * times numbers
/// @throws Error unless the pixels fill whole rows and times >= 1
std::vector<double> enlarged(const Values& pixels, int columns, int times);

}  // namespace RECTO::figure
