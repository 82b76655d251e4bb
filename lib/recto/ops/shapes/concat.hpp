#pragma once
/// @file
/// Joins several tensors into one, and splits one into several.
#include <vector>

#include <recto/core/tensor.hpp>

namespace RECTO {

/// Puts tensors end to end along an axis that they have: (2, 3) and (2, 4) along axis 1 give (2, 7).
/// @throws Error when `parts` is empty, when other axes differ, or devices differ
Tensor concat(const std::vector<Tensor>& parts, int axis = 0);

/// Puts tensors of one shape side by side along a new axis: two of (2, 3) along axis 0 give (2, 2, 3).
/// A reshape() of each and a concat().
/// @throws Error when `parts` is empty, or shapes or devices differ
Tensor stack(const std::vector<Tensor>& parts, int axis = 0);

/// Cuts a tensor along an axis into parts of these extents, views each: the opposite of concat(). A slice() of each.
/// @throws Error unless the extents are at least 0 and add up to that of the axis
std::vector<Tensor> split(const Tensor& x, const std::vector<Index>& extents, int axis = 0);

}  // namespace RECTO
